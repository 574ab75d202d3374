//! What to cite for a scenario.

use crate::profile::PROFILES;
use crate::spec::Scenario;
use airtcp_tcp::Variant;

/// The bibliography, in BibTeX.
pub const REFERENCES: &str = include_str!("../../../refs.bib");

/// Keys into [`REFERENCES`] for everything that `scenario` uses, the project itself first, each once.
#[must_use]
pub fn citations(scenario: &Scenario) -> Vec<&'static str> {
    let profile = serde_json::to_value(scenario.profile).expect("a profile has a name");
    let profile = PROFILES.iter().find(|e| Some(e.name) == profile.as_str());
    let variant = &Variant::ENTRIES[scenario.tcp.variant as usize];
    let entries = [profile, Some(variant), Some(scenario.channel.entry())];
    let mut keys = vec!["airtcp"];
    for key in entries.into_iter().flatten().flat_map(|e| e.sources.split(", ")) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}
