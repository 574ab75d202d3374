//! Codes by name: `bch(255,87)`, or with the errors corrected, `bch(255,87,26)`.

use super::bch_table::FAMILIES;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A block code that is decoded up to `t` errors in a word, and fails beyond (bounded distance).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code {
    n: u32,
    k: u32,
    t: u32,
}

/// Coding of the bits of packets into bits on the air.
pub type Coding = Option<Code>;

/// The longest word: what its decoding costs grows with `n t`.
const MAX_WORD_BITS: u32 = 4095;

impl Code {
    /// Bits of a word.
    #[must_use]
    pub const fn word_bits(self) -> u32 {
        self.n
    }

    /// Bits of information in a word.
    #[must_use]
    pub const fn information_bits(self) -> u32 {
        self.k
    }

    /// Bit errors that are corrected in a word.
    #[must_use]
    pub const fn correctable_errors(self) -> u32 {
        self.t
    }

    /// Words that carry `bits` bits; the last one is filled up.
    #[must_use]
    pub const fn word_count(self, bits: u64) -> u64 {
        bits.div_ceil(self.k as u64)
    }

    /// Bits on the air for `bits` bits of a packet.
    #[must_use]
    pub const fn bits_on_air(self, bits: u64) -> u64 {
        self.word_count(bits).saturating_mul(self.n as u64)
    }

    /// All primitive codes that have a name by length and dimension.
    pub fn all() -> impl Iterator<Item = Self> {
        FAMILIES.iter().flat_map(|&(n, codes)| codes.iter().map(move |&(k, t)| Code { n, k, t }))
    }

    /// A code with parameters of its own.
    fn with_parameters(n: u32, k: u32, t: u32) -> Result<Self, String> {
        if n > MAX_WORD_BITS || k == 0 || k >= n {
            return Err(format!("bch({n},{k},{t}): 0 < k < n <= {MAX_WORD_BITS} is needed"));
        }
        if t == 0 || 2 * t > n - k {
            let most = (n - k) / 2;
            return Err(format!(
                "bch({n},{k},{t}): t = {t} is not from 1 to (n-k)/2 = {most}; no code corrects more \
                 errors than half its parity bits"
            ));
        }
        Ok(Code { n, k, t })
    }

    /// The primitive code of this length and dimension.
    fn from_table(n: u32, k: u32) -> Result<Self, String> {
        let nearest = FAMILIES.iter().min_by_key(|family| family.0.abs_diff(n));
        let &(length, dimensions) = nearest.expect("there are codes");
        let nearest = dimensions.iter().min_by_key(|(dimension, _)| dimension.abs_diff(k));
        let &(dimension, t) = nearest.expect("a family has codes");
        if (length, dimension) == (n, k) {
            return Ok(Code { n, k, t });
        }
        Err(format!(
            "there is no primitive bch({n},{k}): did you mean \"bch({length},{dimension})\"? (for any other code give bch(n,k,t))"
        ))
    }
}

impl TryFrom<String> for Code {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let inner = text.strip_prefix("bch(").and_then(|rest| rest.strip_suffix(')'));
        let number = |part: &str| part.trim().parse::<u32>().ok();
        let numbers: Option<Vec<u32>> = inner.and_then(|i| i.split(',').map(number).collect());
        match numbers.as_deref() {
            Some(&[n, k]) => Code::from_table(n, k),
            Some(&[n, k, t]) => Code::with_parameters(n, k, t),
            _ => {
                Err(format!("{text:?} is not a code such as \"bch(255,87)\" or \"bch(255,87,26)\""))
            }
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Code { n, k, t } = self;
        if Code::from_table(*n, *k) == Ok(*self) {
            write!(f, "bch({n},{k})")
        } else {
            write!(f, "bch({n},{k},{t})")
        }
    }
}

impl From<Code> for String {
    fn from(code: Code) -> String {
        code.to_string()
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        "Code".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "code", "examples": ["bch(255,87)"]})
    }
    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn code(text: &str) -> Result<Code, String> {
        Code::try_from(text.to_owned())
    }

    /// Roots a^1 to a^2t and their conjugates make the generator, so its degree is n - k
    /// [Lin and Costello 1983, section 6.1].
    #[test]
    fn the_table_is_that_of_cyclotomic_cosets() {
        for (n, dimensions) in FAMILIES {
            let (mut roots, mut derived) = (BTreeSet::new(), Vec::new());
            for t in 1..=n / 2 {
                let mut root = 2 * t - 1;
                while roots.insert(root) {
                    root = 2 * root % n;
                }
                let k = n - u32::try_from(roots.len()).unwrap();
                derived.retain(|&(other, _)| other != k);
                derived.push((k, t));
            }
            derived.retain(|&(k, _)| k > 1);
            assert_eq!(&derived, dimensions, "{n}");
        }
    }

    #[test]
    fn codes_by_name() {
        let rate_third = code("bch(255,87)").unwrap();
        assert_eq!(
            (
                rate_third.correctable_errors(),
                rate_third.word_count(256),
                rate_third.bits_on_air(256)
            ),
            (26, 3, 765)
        );
        assert_eq!(rate_third.to_string(), "bch(255,87)");
        assert_eq!(code("bch(255, 87, 26)"), Ok(rate_third));
        assert_eq!(code("bch(255,131)").unwrap().bits_on_air(256), 510);
        let own = code("bch(100,50,5)").unwrap();
        assert_eq!(code(&own.to_string()), Ok(own));
    }

    #[test]
    fn what_is_no_code_is_refused() {
        assert!(code("bch(255,88)").unwrap_err().contains("\"bch(255,87)\""));
        assert!(code("bch(256,87)").unwrap_err().contains("\"bch(255,87)\""));
        assert!(code("bch(255,87,85)").unwrap_err().contains("(n-k)/2 = 84"));
        for text in
            ["bch", "bch(255)", "bch(255,87,0)", "bch(5,5,1)", "bch(-1,2)", "rs(255,87)", ""]
        {
            assert!(code(text).is_err(), "{text}");
        }
    }
}
