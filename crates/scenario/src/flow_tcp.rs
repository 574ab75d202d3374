//! The transport of each flow: `[tcp]`, overlaid with the keys that the flow has for itself.

use crate::path::{Flow, PathScenario};
use crate::profile::{PathTcp, Profile, write_over};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

impl PathScenario {
    /// Reads the scenario from `value`, with the transport of each flow.
    pub(crate) fn parse(value: &Value) -> Result<Self, serde_json::Error> {
        let document = PathScenario::<Value>::deserialize(value)?;
        let PathScenario { title, profile, case, tcp, path, mut flow, traffic, live, stop } =
            document;
        for flow in &mut flow {
            flow.complete_tcp(profile, &tcp)?;
        }
        let tcp = profile.read_tcp(&tcp)?;
        Ok(PathScenario { title, profile, case, tcp, path, flow, traffic, live, stop })
    }

    /// The transport of `flow`, one of this scenario.
    #[must_use]
    pub fn tcp_of<'a>(&'a self, flow: &'a Flow) -> &'a PathTcp {
        flow.own.as_deref().unwrap_or(&self.tcp)
    }

    /// The transport of the first flow, which is the one that real packets have.
    #[must_use]
    pub fn first_tcp(&self) -> &PathTcp {
        self.flow.first().map_or(&self.tcp, |flow| self.tcp_of(flow))
    }
}

/// Reads a point that was written out.
impl<'de> Deserialize<'de> for PathScenario {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PathScenario::parse(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Flow {
    /// Completes the keys that the flow has for itself from the `[tcp]` that is `document` in the document.
    fn complete_tcp(
        &mut self,
        profile: Profile,
        document: &Value,
    ) -> Result<(), serde_json::Error> {
        let short = self.short_form_keys()?;
        if self.tcp.is_none() && short.is_empty() {
            return Ok(());
        }
        let mut whole = document.clone();
        if let Some(given) = &mut self.tcp {
            write_over(&mut whole, given.clone().into());
            *given = canonical_keys(std::mem::take(given), &profile.read_tcp(&whole)?)?;
        }
        write_over(&mut whole, short.into());
        self.own = Some(Box::new(profile.read_tcp(&whole)?));
        Ok(())
    }

    /// Keys of the transport that the flow has beside `tcp`.
    fn short_form_keys(&self) -> Result<Map<String, Value>, serde_json::Error> {
        let mut keys = Map::new();
        if let Some(variant) = self.variant {
            keys.insert("variant".to_owned(), serde_json::to_value(variant)?);
        }
        if let Some(window) = self.window {
            keys.insert("window".to_owned(), serde_json::to_value(window)?);
        }
        Ok(keys)
    }

    /// True if the flow gives `key` of its transport in its own `tcp`.
    pub(crate) fn gives_tcp_key(&self, key: &str) -> bool {
        self.tcp.as_ref().is_some_and(|given| given.contains_key(key))
    }
}

/// The keys of `given` with the values as `whole` writes them out: equal values have equal texts.
fn canonical_keys(
    given: Map<String, Value>,
    whole: &PathTcp,
) -> Result<Map<String, Value>, serde_json::Error> {
    let mut written = serde_json::to_value(whole)?;
    Ok(given.into_iter().map(|(key, _)| (key.clone(), written[key.as_str()].take())).collect())
}
