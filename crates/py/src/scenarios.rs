//! Scenarios: schema, expansion, registry, citations.

use crate::points::Point;
use airtcp_core::RegistryEntry;
use airtcp_radio::SpecError;
use airtcp_radio::bits::Modulation;
use airtcp_radio::channel::Spec;
use airtcp_radio::{
    ChannelSpec, DistributionSpec, GateSpec, QueueSpec, RatesSpec, SizeSpec, VideoChoice,
};
use airtcp_scenario::{
    CONGESTION_CONTROLS, Family, ImpliedValues, InputError, LinkProfile, PROFILES, Profile,
    RENAMED_KEYS, Scenario, document_schema, points,
};
use airtcp_tcp::{CongestionSpec, Detection, Reduction, SlowStart, Spurious, Variant};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

create_exception!(_native, ScenarioError, PyValueError, "Bad input: args are (path, message).");

pub(crate) fn refused(error: InputError) -> PyErr {
    ScenarioError::new_err((error.path, error.message))
}

/// A point as a path; a point on slots only if real programs can send its packets.
#[pyfunction]
pub(crate) fn as_path(point: &Point) -> PyResult<Point> {
    let path = match point.scenario() {
        Scenario::Path(scenario) => scenario.clone(),
        Scenario::Slot(scenario) => scenario.to_path().map_err(refused)?,
    };
    Ok(Point::from_scenario(Scenario::Path(path)))
}

/// The names of the cases of a document.
#[pyfunction]
pub(crate) fn case_names(document: &str) -> PyResult<Vec<String>> {
    let document =
        serde_json::from_str(document).map_err(|e| ScenarioError::new_err(("", e.to_string())))?;
    airtcp_scenario::case_names(document).map_err(refused)
}

/// The error for values of a channel or gate that contradict each other.
pub(crate) fn contradiction(error: SpecError) -> PyErr {
    ScenarioError::new_err((error.field.to_string(), error.message))
}

/// True if two runs of a point can differ.
#[pyfunction]
pub(crate) fn is_random(point: &Point) -> bool {
    point.scenario().is_random()
}

/// The JSON Schema of a document.
#[pyfunction]
pub(crate) fn schema() -> String {
    serde_json::to_string_pretty(&document_schema()).expect("a schema is plain data")
}

/// `(p_gb, p_bg)` of a point's losses if they form a two-state chain exactly, else `None`.
#[pyfunction]
pub(crate) fn two_state(point: &Point) -> PyResult<Option<(f64, f64)>> {
    chain_of(point.scenario())
}

fn chain_of(scenario: &Scenario) -> PyResult<Option<(f64, f64)>> {
    let Scenario::Slot(scenario) = scenario else { return Ok(None) };
    let chain = scenario
        .channel
        .two_state()
        .map_err(|e| ScenarioError::new_err((format!("channel.{}", e.field), e.message)))?;
    Ok(chain.map(|c| (c.p_gb, c.p_bg)))
}

/// `(p_gb, p_bg)` of the losses of a channel table such as `{"kind": "burst", ...}`, if they form a
/// two-state chain exactly, else `None`.
#[pyfunction]
pub(crate) fn channel_two_state(json: &str) -> PyResult<Option<(f64, f64)>> {
    let channel: serde_json::Value =
        serde_json::from_str(json).map_err(|e| ScenarioError::new_err(("", e.to_string())))?;
    // Any transport will do: a channel is checked as part of a document.
    let document = serde_json::json!({
        "profile": PROFILES[0].name, "tcp": {"variant": Variant::ENTRIES[0].name}, "channel": channel,
    });
    let points = points(&document).map_err(refused)?;
    chain_of(&points[0])
}

/// `(length of a slot in seconds, bits of a data packet, slots per data packet)` of a point.
#[pyfunction]
pub(crate) fn slot(point: &Point) -> PyResult<(f64, u64, u64)> {
    let scenario = point.slots("slots")?;
    Ok((scenario.slot().seconds(), scenario.packet_bits(), scenario.fragments()))
}

/// Keys into the bibliography for the features that a point uses.
#[pyfunction]
pub(crate) fn citations(point: &Point) -> Vec<&'static str> {
    airtcp_scenario::citations(point.scenario())
}

/// The bibliography, in BibTeX.
#[pyfunction]
pub(crate) fn references() -> &'static str {
    airtcp_scenario::REFERENCES
}

/// The names that a scenario can use: kind -> [(name, summary, sources)].
#[pyfunction]
pub(crate) fn registry(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kinds = [
        ("variants", Variant::ENTRIES),
        ("detection", Detection::ENTRIES),
        ("reduction", Reduction::ENTRIES),
        ("slow_start", SlowStart::ENTRIES),
        ("spurious", Spurious::ENTRIES),
        ("channels", ChannelSpec::ENTRIES),
        ("modulations", Modulation::ENTRIES),
        ("gates", GateSpec::ENTRIES),
        ("laws", DistributionSpec::ENTRIES),
        ("rates", RatesSpec::ENTRIES),
        ("sizes", SizeSpec::ENTRIES),
        ("queues", QueueSpec::ENTRIES),
        ("video", VideoChoice::ENTRIES),
        ("profiles", PROFILES),
    ];
    let all = PyDict::new(py);
    for (kind, entries) in kinds {
        all.set_item(kind, rows(entries))?;
        if kind == "variants" {
            let controls = [CongestionSpec::ENTRIES, CONGESTION_CONTROLS].map(rows).concat();
            all.set_item("congestion", controls)?;
        }
    }
    Ok(all)
}

type Row = (&'static str, &'static str, &'static str);

fn rows(entries: &'static [RegistryEntry]) -> Vec<Row> {
    entries.iter().map(|e| (e.name, e.summary, e.sources)).collect()
}

/// The congestion controls of each profile that has some: profile -> [(name, summary, sources)].
#[pyfunction]
pub(crate) fn congestion_controls(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (profile, entries) in
        [(Profile::Rfc, CongestionSpec::ENTRIES), (Profile::Linux, CONGESTION_CONTROLS)]
    {
        all.set_item(profile.entry().name, rows(entries))?;
    }
    Ok(all)
}

/// Name and summary of every link profile.
#[pyfunction]
pub(crate) fn link_profiles() -> Vec<(String, String)> {
    LinkProfile::names_and_summaries()
}

/// A link profile as text, with the origin of each number; none: no profile has this name.
#[pyfunction]
pub(crate) fn link_profile(name: &str) -> Option<String> {
    let found = LinkProfile::profile_by_name(name)?;
    Some(serde_json::to_string(&found).expect("a profile is plain data"))
}

/// The profiles whose scenarios have packets on a path.
#[pyfunction]
pub(crate) fn profiles_with_path() -> Vec<&'static str> {
    let of_path = |profile: &&Profile| profile.family() == Family::Path;
    Profile::ALL.iter().filter(of_path).map(|profile| profile.entry().name).collect()
}

/// Keys of `tcp` by the names that they had in earlier versions: profile -> old name -> new name.
#[pyfunction]
pub(crate) fn renamed_keys() -> ByName<ByName<&'static str>> {
    let mut found = ByName::<ByName<_>>::new();
    for renamed in RENAMED_KEYS {
        found.entry(renamed.profile.entry().name).or_default().insert(renamed.old, renamed.new);
    }
    found
}

type ByName<T> = BTreeMap<&'static str, T>;

/// Capabilities behind names: `variant -> (reads SACK blocks, probes)`, and the bytes of TCP options that each value of
/// `tcp.spurious` puts into every segment.
#[pyfunction]
pub(crate) fn capabilities() -> (ByName<(bool, bool)>, ByName<u32>) {
    let of = |variant: &Variant| {
        let can = variant.capabilities();
        (variant.name(), (can.sacks, can.probes))
    };
    let options = |spurious: &Spurious| (spurious.name(), spurious.option_bytes());
    (Variant::ALL.iter().map(of).collect(), Spurious::ALL.iter().map(options).collect())
}

/// Quantities that a point on a path implies for each table of its flows: lengths, window and size in bytes of payload,
/// round trip in seconds, rates.
#[pyfunction]
pub(crate) fn implied<'py>(py: Python<'py>, point: &Point) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let of_flow = |fact: &ImpliedValues| {
        let found = PyDict::new(py);
        found.set_item("packet", fact.packet)?;
        found.set_item("header", fact.header)?;
        found.set_item("payload", fact.payload)?;
        found.set_item("ack", fact.ack)?;
        found.set_item("window", fact.window)?;
        found.set_item("size", fact.size)?;
        found.set_item("round_trip", fact.round_trip)?;
        found.set_item("bottleneck", fact.bottleneck)?;
        found.set_item("packet_rate", fact.packet_rate)?;
        found.set_item("ack_rate", fact.ack_rate)?;
        Ok(found)
    };
    point.path()?.implied_values().iter().map(of_flow).collect()
}
