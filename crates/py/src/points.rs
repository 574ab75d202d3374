//! The points of a document, and one of them.

use crate::memory::Words;
use crate::scenarios::{ScenarioError, refused};
use airtcp_scenario::{PathScenario, Scenario, SlotScenario};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Number of points that are checked between two checks for a signal.
const PATIENCE: u32 = 16;

/// The points of a document, all of them checked: a sequence.
#[pyclass(frozen, module = "airtcp._native")]
pub(crate) struct Points(airtcp_scenario::Points);

#[pymethods]
impl Points {
    #[new]
    fn new(py: Python<'_>, document: &str) -> PyResult<Self> {
        let document = serde_json::from_str(document)
            .map_err(|e| ScenarioError::new_err(("", e.to_string())))?;
        let (mut checked, mut interrupt) = (0_u32, None);
        let all = py.detach(|| {
            airtcp_scenario::Points::from_document(document, || {
                checked = checked.wrapping_add(1);
                if checked.is_multiple_of(PATIENCE) {
                    interrupt = Python::attach(|py| py.check_signals()).err();
                }
                interrupt.is_some()
            })
        });
        interrupt.map_or_else(|| all.map(Points).map_err(refused), Err)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: usize) -> PyResult<Point> {
        if index < self.0.len() {
            return Ok(Point::from_scenario(self.0.get(index)));
        }
        Err(PyIndexError::new_err(format!("point {index} of {}", self.0.len())))
    }

    /// The numbers of a few points that show which keys vary: a key with one value in these has that value
    /// in all, and every key of any point is in one of them.
    fn telling(&self) -> Vec<usize> {
        self.0.distinguishing_points()
    }

    /// Dotted paths of the keys that the cases of the document set.
    fn case_keys(&self) -> Vec<String> {
        self.0.case_keys().to_vec()
    }

    /// A byte for each point: 1 if two runs of it can differ, else 0.
    fn random(&self) -> Vec<u8> {
        self.0.random_flags().iter().map(|&random| u8::from(random)).collect()
    }

    /// For each group of equal points, the number of the first, ascending.
    fn distinct(&self) -> Words {
        let numbers: Vec<_> = self.0.distinct().into_iter().map(|index| [index as u64]).collect();
        numbers.into()
    }
}

/// A point of a document: checked and read once, whatever is asked of it.
#[pyclass(frozen, module = "airtcp._native")]
pub(crate) struct Point(Arc<Scenario>);

impl Point {
    pub(crate) fn from_scenario(scenario: Scenario) -> Self {
        Point(Arc::new(scenario))
    }

    pub(crate) fn scenario(&self) -> &Scenario {
        &self.0
    }

    /// The scenario, for threads that outlive the question.
    pub(crate) fn shared(&self) -> Arc<Scenario> {
        Arc::clone(&self.0)
    }

    /// The point as one with packets on a path.
    pub(crate) fn path(&self) -> PyResult<&PathScenario> {
        match self.scenario() {
            Scenario::Path(scenario) => Ok(scenario),
            Scenario::Slot(scenario) => {
                let name = scenario.profile.entry().name;
                Err(wrong_profile(format!("{name} has slots and no packets to trace")))
            }
        }
    }

    /// The point as one on slots; others lack the feature in `message`.
    pub(crate) fn slots(&self, message: &str) -> PyResult<&SlotScenario> {
        match self.scenario() {
            Scenario::Slot(scenario) => Ok(scenario),
            Scenario::Path(scenario) => {
                Err(wrong_profile(format!("{} has no {message}", scenario.profile.entry().name)))
            }
        }
    }
}

fn wrong_profile(message: String) -> PyErr {
    ScenarioError::new_err(("profile".to_owned(), message))
}

#[pymethods]
impl Point {
    /// Reads a point from the text that [`Point::json`] has given out.
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        let read = py.detach(|| serde_json::from_str::<Scenario>(text));
        let scenario = read.map_err(|e| ScenarioError::new_err(("", e.to_string())))?;
        py.detach(|| scenario.validate()).map_err(refused)?;
        Ok(Point::from_scenario(scenario))
    }

    /// The point as text.
    #[getter]
    fn json(&self) -> String {
        serde_json::to_string(self.scenario()).expect("a scenario is plain data")
    }

    /// Copies and pickles are made of the text.
    fn __getnewargs__(&self) -> (String,) {
        (self.json(),)
    }
}
