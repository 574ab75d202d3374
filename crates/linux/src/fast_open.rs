//! Cookies of Fast Open [RFC 7413, rules/fast_open.md].

/// A cookie as it stands in an option; empty in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cookie {
    bytes: [u8; 16],
    len: u8,
    /// True if the cookie is in the experimental option.
    pub experimental: bool,
}

/// Addresses of both ends, from which a cookie is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// IPv4 addresses.
    V4 {
        /// The client's.
        remote: u32,
        /// The server's.
        local: u32,
    },
    /// IPv6 addresses.
    V6 {
        /// The client's.
        remote: [u8; 16],
        /// The server's.
        local: [u8; 16],
    },
}

impl Cookie {
    /// Request for a cookie.
    #[must_use]
    pub fn request(experimental: bool) -> Self {
        Cookie { bytes: [0; 16], len: 0, experimental }
    }

    /// The cookie in an option; `None` if `bytes` has no length that a cookie may have [RFC 7413 4.1.1].
    #[must_use]
    pub fn parse(bytes: &[u8], experimental: bool) -> Option<Self> {
        let fits = bytes.is_empty() || (4..=16).contains(&bytes.len());
        if !fits || !bytes.len().is_multiple_of(2) {
            return None;
        }
        let mut cookie = Cookie::request(experimental);
        cookie.bytes[..bytes.len()].copy_from_slice(bytes);
        cookie.len = bytes.len() as u8;
        Some(cookie)
    }

    /// The cookie that a server with this key gives between these addresses [rules/fast_open.md rule 6].
    #[must_use]
    pub fn for_addresses(key: &[u8; 16], addresses: Addresses, experimental: bool) -> Self {
        let hash = match addresses {
            Addresses::V4 { remote, local } => {
                siphash(key, &[remote.to_be_bytes(), local.to_be_bytes()].concat())
            }
            Addresses::V6 { remote, local } => siphash(key, &[remote, local].concat()),
        };
        let mut cookie = Cookie::request(experimental);
        cookie.bytes[..8].copy_from_slice(&hash.to_le_bytes());
        cookie.len = 8;
        cookie
    }

    /// Bytes of the cookie.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Returns whether this is a request.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.len == 0
    }
}

/// A key as `tcp_fastopen_key` has it: four groups of eight digits.
#[must_use]
pub fn parse_key(text: &str) -> Option<[u8; 16]> {
    let groups: Vec<&str> = text.trim().split('-').collect();
    if groups.len() != 4 {
        return None;
    }
    let mut key = [0; 16];
    for (place, group) in key.chunks_mut(4).zip(groups) {
        // The number of a group stands in memory with its lowest byte first.
        place.copy_from_slice(&u32::from_str_radix(group, 16).ok()?.to_le_bytes());
    }
    Some(key)
}

/// SipHash-2-4 of whole words of eight bytes [Aumasson and Bernstein 2012].
fn siphash(key: &[u8; 16], message: &[u8]) -> u64 {
    let word = |nth: usize| {
        let bytes: [u8; 8] = key[8 * nth..8 * nth + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(bytes)
    };
    let mut v = [
        0x736f_6d65_7073_6575 ^ word(0),
        0x646f_7261_6e64_6f6d ^ word(1),
        0x6c79_6765_6e65_7261 ^ word(0),
        0x7465_6462_7974_6573 ^ word(1),
    ];
    let words = message.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    for block in words.chain([(message.len() as u64) << 56]) {
        v[3] ^= block;
        sip_rounds(&mut v, 2);
        v[0] ^= block;
    }
    v[2] ^= 0xff;
    sip_rounds(&mut v, 4);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn sip_rounds(v: &mut [u64; 4], count: u32) {
    for _ in 0..count {
        v[0] = v[0].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[0] = v[0].rotate_left(32);
        v[2] = v[2].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[2] = v[2].rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_follows_from_key_and_addresses() {
        // Observed on a running kernel: 192.0.2.1 asks 192.168.0.1.
        let addresses = Addresses::V4 { remote: 0xc000_0201, local: 0xc0a8_0001 };
        let cookie = |text| Cookie::for_addresses(&parse_key(text).unwrap(), addresses, false);
        let hex = |cookie: Cookie| {
            cookie.bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        assert_eq!(hex(cookie("a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4")), "3021b9d889017eeb");
        assert_eq!(hex(cookie("00000000-00000000-00000000-00000000")), "b7c12350a90dc8f5");
        assert_eq!(parse_key("a1a1a1a1-b2b2b2b2-c3c3c3c3"), None);
        let six = |text: &str| text.parse::<std::net::Ipv6Addr>().unwrap().octets();
        let (remote, local) = (six("fd3d:fa7b:d17d::1"), six("fd3d:0a0b:17d6::1"));
        let of_six = |text| {
            Cookie::for_addresses(&parse_key(text).unwrap(), Addresses::V6 { remote, local }, false)
        };
        assert_eq!(hex(of_six("a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4")), "c1d1e9742a47a9bc");
        assert_eq!(hex(of_six("00000000-00000000-00000000-00000000")), "82af1a8f9a205c34");
    }

    #[test]
    fn cookies_have_an_even_length_from_4_to_16() {
        for (len, fits) in [(0, true), (2, false), (4, true), (5, false), (16, true), (18, false)] {
            assert_eq!(Cookie::parse(&vec![7; len], false).is_some(), fits, "{len}");
        }
    }
}
