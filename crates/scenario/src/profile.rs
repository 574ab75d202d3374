//! The list of profiles: whose rules each follows, the type of its transport, and the partial scenario that completes what a
//! user's document leaves out.

use crate::input_error::InputError;
use crate::profiles::{BsdTcp, LinuxTcp, Ns2Tcp, RfcTcp};
use crate::transport::Transport;
use airtcp_core::RegistryEntry;
use airtcp_tcp::{RuleSource, Variant};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

macro_rules! profiles {
    (
        slots { $( $slot:literal => $slotted:ident, $slot_source:expr, $slot_text:literal, $slot_summary:literal, $slot_sources:literal; )+ }
        paths { $( $tag:literal => $profile:ident($tcp:ident), $source:expr, $text:literal, $summary:literal, $sources:literal; )+ }
    ) => {
        /// A named set of rules and defaults.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum Profile {
            $( #[doc = $slot_summary] #[serde(rename = $slot)] $slotted, )+
            $( #[doc = $summary] #[serde(rename = $tag)] $profile, )+
        }

        /// Every profile.
        pub const PROFILES: &[RegistryEntry] = &[
            $( RegistryEntry { name: $slot, summary: $slot_summary, sources: $slot_sources }, )+
            $( RegistryEntry { name: $tag, summary: $summary, sources: $sources }, )+
        ];

        /// The text of the defaults of each profile, in the same order.
        const TEXTS: &[&str] = &[ $( include_str!($slot_text), )+ $( include_str!($text), )+ ];

        impl Profile {
            /// All profiles.
            pub const ALL: &'static [Profile] = &[ $( Profile::$slotted, )+ $( Profile::$profile, )+ ];

            /// The kind of scenario that the profile is for: a link of slots or a path.
            #[must_use]
            pub fn family(self) -> Family {
                match self {
                    $( Profile::$slotted => Family::Slot, )+
                    $( Profile::$profile => Family::Path, )+
                }
            }

            /// The specification that the TCP of the profile follows; none: Linux's, which has no variants.
            #[must_use]
            pub fn source(self) -> Option<RuleSource> {
                match self {
                    $( Profile::$slotted => $slot_source, )+
                    $( Profile::$profile => $source, )+
                }
            }

            /// The schema of the transport on a path; `None` for a profile on slots.
            pub(crate) fn tcp_schema(self, generator: &mut SchemaGenerator) -> Option<Schema> {
                match self {
                    $( Profile::$slotted => None, )+
                    $( Profile::$profile => Some(generator.subschema_for::<$tcp>()), )+
                }
            }

            /// Reads the transport on a path from `keys`, which hold all that must be given.
            pub(crate) fn read_tcp(self, keys: &Value) -> Result<PathTcp, serde_json::Error> {
                match self {
                    $( Profile::$slotted => Err(serde_json::Error::custom(concat!("profile ", $slot, " has a slotted link, not a path"))), )+
                    $( Profile::$profile => $tcp::deserialize(keys).map(PathTcp::$profile), )+
                }
            }
        }

        /// The transport of a flow on a path, with the keys that its profile has.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum PathTcp {
            $( #[doc = $summary] $profile($tcp), )+
        }

        impl PathTcp {
            /// The transport as the profiles have it in common.
            #[must_use]
            pub fn transport(&self) -> &dyn Transport {
                match self { $( PathTcp::$profile(own) => own, )+ }
            }
        }
    };
}

profiles! {
    slots {
        "zorzi" => Zorzi, Some(RuleSource::Ideal), "../defaults/zorzi.toml",
            "Idealised TCP on a slotted hop: instant ACKs, one fixed timer per packet.", "zorzi2000";
    }
    paths {
        "ns2" => Ns2(Ns2Tcp), Some(RuleSource::Ns2), "../defaults/ns2.toml",
            "TCP of the ns simulator as used around 2000, on a path of hops.", "ns2";
        "rfc" => Rfc(RfcTcp), Some(RuleSource::Rfc), "../defaults/rfc.toml",
            "TCP by the RFCs, on a path of hops.", "rfc5681, rfc6298, rfc6928, rfc3042";
        "bsd" => Bsd(BsdTcp), Some(RuleSource::Bsd), "../defaults/bsd.toml",
            "TCP of BSD around 1990, whose timers tick every half second, on a path of hops.", "lahanas2002, jacobson1988";
        "linux" => Linux(LinuxTcp), None, "../defaults/linux.toml",
            "TCP of Linux 6.18, packet by packet, on a path of hops.", "linux, rfc8985, rfc9937";
    }
}

/// The two kinds of scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// One link divided into slots.
    Slot,
    /// A path of hops.
    Path,
}

impl Profile {
    /// The listing of this profile.
    #[must_use]
    pub fn entry(self) -> &'static RegistryEntry {
        &PROFILES[self as usize]
    }

    /// The profile that `document` names.
    pub(crate) fn from_document(document: &Value) -> Result<Profile, InputError> {
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

    /// The values that the profile provides.
    pub(crate) fn default_values(self) -> Value {
        toml::from_str(TEXTS[self as usize]).expect("a profile is valid TOML")
    }

    /// The variants that scenarios of the profile may use.
    pub(crate) fn variants(self) -> impl Iterator<Item = Variant> {
        self.source().into_iter().flat_map(Variant::with_rules_of)
    }

    /// True if scenarios of the profile may use `variant`.
    pub(crate) fn has_variant(self, variant: &str) -> bool {
        self.variants().any(|one| one.name() == variant)
    }
}

/// The values of `profile` under those of `document`.
pub(crate) fn with_defaults(profile: Profile, document: Value) -> Value {
    let mut value = profile.default_values();
    write_over(&mut value, document);
    value
}

/// Writes `over` into `under`, table by table; a table with a `kind` is replaced as a whole.
pub(crate) fn write_over(under: &mut Value, over: Value) {
    let (Value::Object(under), Value::Object(over)) = (under, over) else { return };
    let mut merged = Map::new();
    for (key, value) in over {
        let mut base = under.remove(&key).unwrap_or(Value::Null);
        if base.is_object() && value.is_object() && value.get("kind").is_none() {
            write_over(&mut base, value);
            merged.insert(key, base);
        } else {
            merged.insert(key, value);
        }
    }
    merged.append(under);
    *under = merged;
}
