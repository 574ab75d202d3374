//! Profiles: partial scenarios that complete what a user's document leaves out.

use crate::input_error::InputError;
use airtcp_core::Entry;
use airtcp_tcp::{Source, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

macro_rules! profiles {
    ($( $tag:literal => $profile:ident, $text:literal, $summary:literal, $sources:literal; )+) => {
        /// A named set of rules and defaults.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum Profile {
            $( #[doc = $summary] #[serde(rename = $tag)] $profile, )+
        }

        /// Every profile.
        pub const PROFILES: &[Entry] = &[
            $( Entry { name: $tag, summary: $summary, sources: $sources }, )+
        ];

        /// Their texts, in the same order.
        const TEXTS: &[&str] = &[ $( include_str!($text), )+ ];
    };
}

profiles! {
    "zorzi" => Zorzi, "../profiles/zorzi.toml", "Idealised TCP on a slotted hop: instant ACKs, one fixed timer per packet.", "zorzi2000";
    "ns2" => Ns2, "../profiles/ns2.toml", "TCP of the ns simulator as used around 2000, on a path of hops.", "ns2";
    "rfc" => Rfc, "../profiles/rfc.toml", "TCP as the RFCs have it, on a path of hops.", "rfc5681, rfc6298, rfc6928, rfc3042";
    "bsd" => Bsd, "../profiles/bsd.toml", "TCP of BSD around 1990 on a clock of half seconds, on a path of hops.", "lahanas2002, jacobson1988";
    "linux" => Linux, "../profiles/linux.toml", "TCP of Linux 6.18, to the packet, on a path of hops.", "linux, rfc8985, rfc9937";
}

/// What a scenario consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// One link divided into slots.
    Slot,
    /// A path of hops.
    Path,
}

impl Profile {
    /// All of them.
    pub const ALL: &'static [Profile] =
        &[Profile::Zorzi, Profile::Ns2, Profile::Rfc, Profile::Bsd, Profile::Linux];

    /// The listing of this profile.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        &PROFILES[self as usize]
    }

    /// What its scenarios consist of.
    #[must_use]
    pub fn family(self) -> Family {
        match self {
            Profile::Zorzi => Family::Slot,
            Profile::Ns2 | Profile::Rfc | Profile::Bsd | Profile::Linux => Family::Path,
        }
    }

    /// Whose rules its TCP follows; none: Linux's, which is not made of variants.
    #[must_use]
    pub fn source(self) -> Option<Source> {
        match self {
            Profile::Zorzi => Some(Source::Ideal),
            Profile::Ns2 => Some(Source::Ns2),
            Profile::Rfc => Some(Source::Rfc),
            Profile::Bsd => Some(Source::Bsd),
            Profile::Linux => None,
        }
    }

    /// The profile that `document` names.
    pub(crate) fn named_by(document: &Value) -> Result<Profile, InputError> {
        let names: Vec<&str> = PROFILES.iter().map(|e| e.name).collect();
        let name = match document.get("profile") {
            Some(Value::String(name)) => name,
            Some(other) => {
                let message = format!("{other} is not one of {}", names.join(", "));
                return Err(InputError::new("profile", message));
            }
            None => {
                let message = format!("missing; one of: {}", names.join(", "));
                return Err(InputError::new("profile", message));
            }
        };
        let index = names.iter().position(|known| known == name);
        index
            .map(|index| Profile::ALL[index])
            .ok_or_else(|| InputError::unknown("profile", "profile", name, &names))
    }

    /// The values that it provides.
    pub(crate) fn values(self) -> Value {
        toml::from_str(TEXTS[self as usize]).expect("a profile is valid TOML")
    }

    /// Keys of `tcp` that it has, other profiles of the family have not, and that are absent unless they are
    /// given.
    fn absent(self) -> &'static [&'static str] {
        match self {
            Profile::Rfc => &[
                "variant",
                "ssthresh",
                "probing",
                "abc_limit",
                "detection",
                "reduction",
                "slow_start",
                "ecn",
                "rto_margin",
            ],
            Profile::Ns2 => &["variant", "ssthresh", "probing", "ns"],
            Profile::Bsd => &["variant", "ssthresh", "probing"],
            Profile::Linux => &["framing", "initial_window", "sysctl", "ecn"],
            Profile::Zorzi => &[],
        }
    }

    /// Whether `key` of `tcp` is one of another profile of the family, and not of this one.
    pub(crate) fn is_foreign(self, key: &str) -> bool {
        let has = |profile: Profile| {
            profile.values()["tcp"].get(key).is_some() || profile.absent().contains(&key)
        };
        let others = Profile::ALL.iter().filter(|other| other.family() == self.family());
        !has(self) && others.into_iter().any(|other| has(*other))
    }

    /// The variants that its scenarios may use.
    pub(crate) fn variants(self) -> impl Iterator<Item = Variant> {
        self.source().into_iter().flat_map(Variant::of)
    }

    /// Whether its scenarios may use `variant`.
    pub(crate) fn has_variant(self, variant: &str) -> bool {
        self.variants().any(|one| one.name() == variant)
    }
}

/// The values of `profile` under those of `document`.
pub(crate) fn complete(profile: Profile, document: Value) -> Value {
    let mut value = profile.values();
    overlay(&mut value, document);
    value
}

/// Writes `over` into `under`, table by table; one with a `kind` is a value of its own.
pub(crate) fn overlay(under: &mut Value, over: Value) {
    let (Value::Object(under), Value::Object(over)) = (under, over) else { return };
    let mut merged = Map::new();
    for (key, value) in over {
        let mut base = under.remove(&key).unwrap_or(Value::Null);
        if base.is_object() && value.is_object() && value.get("kind").is_none() {
            overlay(&mut base, value);
            merged.insert(key, base);
        } else {
            merged.insert(key, value);
        }
    }
    merged.append(under);
    *under = merged;
}
