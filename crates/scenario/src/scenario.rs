//! A scenario of either family; its profile says which.

use crate::input_error::InputError;
use crate::path::PathScenario;
use crate::profile::{Family, Profile};
use crate::slot::SlotScenario;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One link or path and what is sent over it, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, try_from = "Value")]
pub enum Scenario {
    /// A scenario on slots.
    Slot(SlotScenario),
    /// A scenario of packets on a path.
    Path(PathScenario),
}

impl Scenario {
    /// Reads the point from `value`, without validating it.
    pub(crate) fn parse(value: &Value) -> Result<Self, InputError> {
        let family = Profile::from_document(value)?.family();
        let scenario = match family {
            Family::Slot => SlotScenario::deserialize(value).map(Scenario::Slot),
            Family::Path => PathScenario::parse(value).map(Scenario::Path),
        };
        scenario.map_err(|e| InputError::new("", e.to_string()))
    }

    /// The profile of the scenario.
    #[must_use]
    pub fn profile(&self) -> Profile {
        match self {
            Scenario::Slot(scenario) => scenario.profile,
            Scenario::Path(scenario) => scenario.profile,
        }
    }

    /// Takes out the name of the case that the scenario is a point of, if its document has cases.
    pub(crate) fn take_case(&mut self) -> Option<String> {
        match self {
            Scenario::Slot(scenario) => scenario.case.take(),
            Scenario::Path(scenario) => scenario.case.take(),
        }
    }

    /// Takes out the keys for live runs only, and says that there were some.
    pub(crate) fn take_live(&mut self) -> bool {
        match self {
            Scenario::Slot(_) => false,
            Scenario::Path(scenario) => scenario.live.take().is_some(),
        }
    }

    /// Independent repetitions.
    #[must_use]
    pub fn replications(&self) -> u32 {
        match self {
            Scenario::Slot(scenario) => scenario.stop.replications,
            Scenario::Path(scenario) => scenario.stop.replications,
        }
    }

    /// The scenario if it is one on slots.
    #[must_use]
    pub fn slot(&self) -> Option<&SlotScenario> {
        match self {
            Scenario::Slot(scenario) => Some(scenario),
            Scenario::Path(_) => None,
        }
    }

    /// The scenario if it is one of packets on a path.
    #[must_use]
    pub fn path(&self) -> Option<&PathScenario> {
        match self {
            Scenario::Slot(_) => None,
            Scenario::Path(scenario) => Some(scenario),
        }
    }

    /// Checks the rules between values, which no single value can show.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn validate(&self) -> Result<(), InputError> {
        match self {
            Scenario::Slot(scenario) => scenario.validate(),
            Scenario::Path(scenario) => scenario.validate(),
        }
    }
}

/// Reads a point that was written out with every value given.
impl TryFrom<Value> for Scenario {
    type Error = InputError;
    fn try_from(value: Value) -> Result<Self, InputError> {
        Scenario::parse(&value)
    }
}
