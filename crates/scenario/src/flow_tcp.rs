//! The transport of each flow: `[tcp]`, under the keys that the flow has for itself.

use crate::path::{Flow, PathScenario, PathTcp};
use crate::profile::overlay;
use serde::Deserialize;
use serde_json::{Map, Value};

impl PathScenario {
    /// The scenario that `value` says, with the transport of each flow.
    pub(crate) fn of(value: &Value) -> Result<Self, serde_json::Error> {
        let mut scenario = PathScenario::deserialize(value)?;
        for flow in &mut scenario.flow {
            flow.complete(&scenario.tcp, &value["tcp"])?;
        }
        Ok(scenario)
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

impl Flow {
    /// Completes what it has for itself from `tcp`, which is `said` in the document.
    fn complete(&mut self, tcp: &PathTcp, said: &Value) -> Result<(), serde_json::Error> {
        let mut own = match &self.tcp {
            None if self.variant.is_none() && self.window.is_none() => return Ok(()),
            None => tcp.clone(),
            Some(given) => {
                let mut whole = said.clone();
                overlay(&mut whole, given.clone().into());
                PathTcp::deserialize(whole)?
            }
        };
        self.tcp = self.tcp.take().map(|given| canonical(given, &own)).transpose()?;
        own.variant = self.variant.or(own.variant);
        own.window = self.window.unwrap_or(own.window);
        self.own = Some(Box::new(own));
        Ok(())
    }

    /// Whether it gives `key` of its transport in `tcp`.
    pub(crate) fn gives(&self, key: &str) -> bool {
        self.tcp.as_ref().is_some_and(|given| given.contains_key(key))
    }
}

/// What is `given`, as `whole` would be written out: the same text for the same value.
fn canonical(
    given: Map<String, Value>,
    whole: &PathTcp,
) -> Result<Map<String, Value>, serde_json::Error> {
    let mut written = serde_json::to_value(whole)?;
    Ok(given.into_iter().map(|(key, _)| (key.clone(), written[key.as_str()].take())).collect())
}
