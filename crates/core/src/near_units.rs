//! The spellings of a quantity that come nearest to a text whose unit is missing, cut off or misspelt.

/// Whole words for units, of which people write the beginning.
const UNIT_WORDS: &[(&str, &str)] = &[
    ("nanoseconds", "ns"),
    ("microseconds", "us"),
    ("milliseconds", "ms"),
    ("seconds", "s"),
    ("minutes", "min"),
    ("hours", "h"),
    ("bytes", "B"),
    ("kilobytes", "kB"),
    ("megabytes", "MB"),
    ("kibibytes", "KiB"),
    ("mebibytes", "MiB"),
    ("hertz", "Hz"),
    ("kilohertz", "kHz"),
    ("megahertz", "MHz"),
    ("decibels", "dB"),
    ("decibel", "dB"),
    ("bits", "bits"),
    ("packets", "packets"),
    ("pkts", "packets"),
];
/// Letters from which a word may differ in two of them.
const MIN_MISSPELT_LENGTH: usize = 6;

/// The units of `units` that come nearest to `unit`: those that differ in the case of letters, else those that begin like it, by
/// their names or by other `spellings` of them, else those from which a letter is missing, or wrong; none is far from all.
pub(crate) fn near_units<'a>(
    unit: &str,
    units: &[&'a str],
    spellings: &[(&str, &str)],
) -> Vec<&'a str> {
    let unit = unit.to_lowercase();
    let own: Vec<(String, &'a str)> =
        units.iter().map(|name| (name.to_lowercase(), *name)).collect();
    let others = spellings.iter().chain(UNIT_WORDS).filter_map(|(spelling, of)| {
        let name = units.iter().find(|name| *name == of)?;
        Some((spelling.to_lowercase(), *name))
    });
    let all: Vec<(String, &'a str)> = own.iter().cloned().chain(others).collect();
    let pick = |among: &[(String, &'a str)], is_near: &dyn Fn(&str) -> bool| {
        units
            .iter()
            .copied()
            .filter(|name| among.iter().any(|(s, of)| of == name && is_near(s)))
            .collect()
    };
    let begin = unit.chars().next();
    let found: [Vec<&'a str>; 5] = [
        pick(&own, &|name| name == unit),
        pick(&own, &|name| name.starts_with(&unit)),
        pick(&all, &|name| name.starts_with(&unit)),
        pick(&all, &|name| name.chars().next() == begin && is_misspelt(&unit, name)),
        pick(&all, &|name| is_misspelt(&unit, name)),
    ];
    found.into_iter().find(|near| !near.is_empty()).unwrap_or_default()
}

/// Returns true if a letter is missing, wrong, too many or in the place of its neighbour; in a long word two may be.
fn is_misspelt(text: &str, name: &str) -> bool {
    let shorter = text.chars().count().min(name.chars().count());
    let most = if shorter >= MIN_MISSPELT_LENGTH { 2 } else { 1 };
    shorter >= 2 && strsim::osa_distance(text, name) <= most
}

/// Texts in quotes, the last one after "or".
#[must_use]
pub fn quoted_alternatives(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: &[&str] = &["ns", "us", "ms", "s", "min", "h"];

    #[test]
    fn near_units_begin_alike_or_differ_in_a_letter() {
        for (unit, near) in [
            ("M", vec!["ms", "min"]),
            ("S", vec!["s"]),
            ("milli", vec!["ms"]),
            ("mins", vec!["min"]),
            ("minuets", vec!["min"]),
            ("hour", vec!["h"]),
            ("u", vec!["us"]),
            ("mss", vec!["ms"]),
            ("sm", vec!["ms"]),
            ("d", vec![]),
            ("fortnights", vec![]),
        ] {
            assert_eq!(near_units(unit, TIMES, &[]), near, "{unit}");
        }
        assert_eq!(near_units("db", &["dB"], &[]), ["dB"]);
        assert_eq!(near_units("packet", &["bits", "packets"], &[]), ["packets"]);
    }

    #[test]
    fn choices_are_told_in_words() {
        let suggestion = |texts: &[&str]| {
            quoted_alternatives(&texts.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(suggestion(&[]), "");
        assert_eq!(suggestion(&["1s"]), "\"1s\"");
        assert_eq!(suggestion(&["1s", "1ms", "1us"]), "\"1s\", \"1ms\" or \"1us\"");
    }
}
