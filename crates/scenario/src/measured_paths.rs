//! The measured cellular paths, a row of a table each: rate, buffer, delay and cross-traffic of the way up.

use crate::links::LinkProfile;
use serde_json::{Map, Value, json};

/// The table: `country,number,result,peer,rate_kbps,buffer_bytes,delay_ms,cross_kbps`.
const ROWS: &str = include_str!("../links/cellular.csv");

/// Length of a packet of cross-traffic: the buffers of the table count packets of 1500 bytes.
const PACKET: &str = "1500B";

/// One path.
struct PathRow<'a> {
    country: &'a str,
    number: &'a str,
    result: &'a str,
    peer: &'a str,
    rate: &'a str,
    buffer: &'a str,
    delay: &'a str,
    /// Cross-traffic in kbit/s, second by second.
    cross: Vec<&'a str>,
}

fn path_rows() -> impl Iterator<Item = PathRow<'static>> {
    ROWS.lines().skip(1).map(|line| {
        let mut cells = line.split(',');
        let mut cell = || cells.next().expect("a row has eight cells");
        PathRow {
            country: cell(),
            number: cell(),
            result: cell(),
            peer: cell(),
            rate: cell(),
            buffer: cell(),
            delay: cell(),
            cross: cell().split(' ').collect(),
        }
    })
}

/// The names of the paths.
pub(crate) fn path_names(family: &LinkProfile) -> impl Iterator<Item = String> {
    path_rows().map(|row| format!("{}-{}-{}", family.name, row.country, row.number))
}

/// The path of this name.
pub(crate) fn path_profile(family: &LinkProfile, name: &str) -> Option<LinkProfile> {
    let (country, number) = name.strip_prefix(&family.name)?.strip_prefix('-')?.rsplit_once('-')?;
    let row = path_rows().find(|row| row.country == country && row.number == number)?;
    let mut found = family.clone();
    found.rows = None;
    name.clone_into(&mut found.name);
    let PathRow { country, result, peer, .. } = row;
    found.summary = format!("Cellular uplink, {country} to {peer}, Pantheon result {result}");
    found.hop.insert("rate".to_owned(), format!("{}kbps", row.rate).into());
    found.hop.insert("delay".to_owned(), format!("{}ms", row.delay).into());
    found.hop.insert("queue".to_owned(), format!("{}B", row.buffer).into());
    found.traffic = path_sources(&row.cross);
    Some(found)
}

/// A source for each stretch of equal rates, on once in the length of the record, so that the record repeats.
fn path_sources(cross: &[&str]) -> Vec<Map<String, Value>> {
    let mut found = Vec::new();
    let mut start = 0;
    for stretch in cross.chunk_by(|one, other| one == other) {
        let (rate, long) = (stretch[0], stretch.len());
        let mut source =
            json!({"start": format!("{start}s"), "rate": format!("{rate}kbps"), "packet": PACKET});
        if long < cross.len() {
            source["on"] = json!({"kind": "fixed", "value": format!("{long}s")});
            source["off"] = json!({"kind": "fixed", "value": format!("{}s", cross.len() - long)});
        }
        if rate != "0" {
            found.extend(source.as_object().cloned());
        }
        start += long;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seconds_are_one_source() {
        let found = path_sources(&["5", "5", "0", "7"]);
        let burst = |on: u8| json!({"kind": "fixed", "value": format!("{on}s")});
        let first = json!({"start": "0s", "rate": "5kbps", "packet": "1500B", "on": burst(2), "off": burst(2)});
        let last = json!({"start": "3s", "rate": "7kbps", "packet": "1500B", "on": burst(1), "off": burst(3)});
        assert_eq!(Value::from(found), json!([first, last]));
        assert_eq!(
            path_sources(&["5", "5"]),
            [json!({"start": "0s", "rate": "5kbps", "packet": "1500B"})
                .as_object()
                .unwrap()
                .clone()]
        );
    }
}
