//! A capture of the packets that our end has sent, for tshark to judge.

use airtcp_core::Instant;
use std::process::Command;

/// The packets in the format of libpcap: raw IPv4, times in nanoseconds.
fn pcap(packets: &[(Instant, Vec<u8>)]) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut file = words(&[0xA1B2_3C4D, 4 << 16 | 2, 0, 0, 65_535, 101]);
    for (at, bytes) in packets {
        let (seconds, nanos) = (at.nanos() / 1_000_000_000, at.nanos() % 1_000_000_000);
        let length = bytes.len() as u32;
        file.extend(words(&[seconds as u32, nanos as u32, length, length]));
        file.extend(bytes);
    }
    file
}

/// Lets tshark look for malformed packets; prints a note where there is no tshark.
pub(crate) fn check(packets: &[(Instant, Vec<u8>)], name: &str) {
    let file = std::env::temp_dir().join(format!("airtcp-{}-{name}.pcap", std::process::id()));
    std::fs::write(&file, pcap(packets)).expect("a file");
    let tshark = |filter: &str| {
        let mut command = Command::new("tshark");
        command.args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
        command.arg("-r").arg(&file).args(["-Y", filter]).output()
    };
    let bad = "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 \
               || tcp.option.len.invalid || _ws.expert.severity == error";
    match (tshark(bad), tshark("tcp")) {
        (Ok(bad), Ok(all)) => {
            assert!(bad.status.success(), "{}", String::from_utf8_lossy(&bad.stderr));
            assert_eq!(String::from_utf8_lossy(&bad.stdout), "", "malformed");
            let lines = all.stdout.iter().filter(|b| **b == b'\n').count();
            assert_eq!(lines, packets.len(), "tshark reads every packet as TCP");
        }
        _ => eprintln!("skipped: no tshark to check {} packets", packets.len()),
    }
    let _ = std::fs::remove_file(&file);
}
