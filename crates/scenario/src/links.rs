//! Link profiles: measured or published links that a hop names in place of their numbers. Each is a file in `links`.

use crate::measured_paths;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Name and text of every file, in the order of the names.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/links.rs"));

/// A link with numbers from named sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkProfile {
    /// The name, equal to the name of the file.
    #[serde(default)]
    pub name: String,
    /// The link in one line.
    pub summary: String,
    /// Effects of the link that the profile does not model, in a sentence or two.
    pub not_modelled: String,
    /// The table of which each row is a profile; none: the file is a profile itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<String>,
    /// Keys of a hop.
    #[serde(default)]
    pub hop: Map<String, Value>,
    /// Cross-traffic in the forward direction of the hop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Map<String, Value>>,
    /// Origin of the value under each key of the hop, and of `traffic`.
    pub about: BTreeMap<String, Origin>,
}

/// Origin of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The publication, with the place in it, or the measurement.
    pub source: String,
    /// The command that gives the value; "copied" where the source has it as it is.
    pub command: String,
    /// Effects that the value leaves out.
    pub not_modelled: String,
}

/// The files, read.
static PROFILES: LazyLock<Vec<LinkProfile>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| {
        let profile: LinkProfile = toml::from_str(text).expect("a link profile is valid TOML");
        LinkProfile { name: (*name).to_owned(), ..profile }
    };
    FILES.iter().map(read).collect()
});

impl LinkProfile {
    /// The profile with this name.
    #[must_use]
    pub fn profile_by_name(name: &str) -> Option<LinkProfile> {
        let single = PROFILES.iter().find(|one| one.rows.is_none() && one.name == name);
        single.cloned().or_else(|| {
            let family =
                PROFILES.iter().find(|one| one.rows.is_some() && name.starts_with(&one.name))?;
            measured_paths::path_profile(family, name)
        })
    }

    /// Name and summary of every profile, with profiles from tables last.
    #[must_use]
    pub fn names_and_summaries() -> Vec<(String, String)> {
        let singles = PROFILES.iter().filter(|one| one.rows.is_none());
        let mut all: Vec<_> = singles.map(|one| (one.name.clone(), one.summary.clone())).collect();
        for family in PROFILES.iter().filter(|one| one.rows.is_some()) {
            all.extend(
                measured_paths::path_names(family).map(|name| (name, family.summary.clone())),
            );
        }
        all
    }

    /// Names of the profiles that are files of their own.
    pub(crate) fn single_names() -> impl Iterator<Item = &'static str> {
        PROFILES.iter().filter(|one| one.rows.is_none()).map(|one| one.name.as_str())
    }
}

/// Refuses a name that no profile has, with the nearest one.
pub(crate) fn check_link(name: &str) -> Result<(), String> {
    if LinkProfile::profile_by_name(name).is_some() {
        return Ok(());
    }
    let all = LinkProfile::names_and_summaries();
    let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let hint = crate::input_error::hint(name, &known);
    Err(format!("unknown link {name:?}{hint} (airtcp list links names all)"))
}
