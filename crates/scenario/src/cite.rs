//! What to cite for a scenario.

use crate::spec::Scenario;

/// The bibliography, in BibTeX.
pub const REFERENCES: &str = include_str!("../../../refs.bib");

/// Keys into [`REFERENCES`] for everything that `scenario` uses, the project itself first, each once.
#[must_use]
pub fn citations(scenario: &Scenario) -> Vec<&'static str> {
    let entries =
        [scenario.profile.entry(), scenario.tcp.variant.entry(), scenario.channel.entry()];
    let mut keys = vec!["airtcp"];
    for key in entries.into_iter().flat_map(|e| e.sources.split(", ")) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}
