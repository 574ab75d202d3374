//! The Python interface of the crates: it converts arguments, calls, and returns. It computes
//! nothing itself.

mod channels;
mod exact;
mod fitting;
mod interrupt;
mod live;
mod measured_captures;
mod memory;
mod packetdrill;
mod points;
mod queues;
mod replay;
mod runner;
mod scenarios;
mod trace;

use pyo3::prelude::*;

/// The compiled part of airtcp.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::channels::{
        bch_codes, fading, losses, outages, philox, rate_lines, rate_steps, uniform,
    };
    #[pymodule_export]
    use super::exact::exact_rates;
    #[pymodule_export]
    use super::fitting::{Losses, loss_pairs, shuffled_loss_pairs, simulate_losses};
    #[pymodule_export]
    use super::interrupt::Flag;
    #[pymodule_export]
    use super::live::{live_fates, live_record, live_replay, live_run};
    #[pymodule_export]
    use super::measured_captures::CaptureReader;
    #[pymodule_export]
    use super::memory::Words;
    #[pymodule_export]
    use super::packetdrill::packetdrill;
    #[pymodule_export]
    use super::points::{Point, Points};
    #[pymodule_export]
    use super::queues::queue_outcomes;
    #[pymodule_export]
    use super::replay::replay_capture;
    #[pymodule_export]
    use super::runner::{Runner, count_names, count_rules, link_names};
    #[pymodule_export]
    use super::scenarios::{
        ScenarioError, as_path, capabilities, case_names, channel_two_state, citations,
        congestion_controls, implied, is_random, link_profile, link_profiles, profiles_with_path,
        references, registry, renamed_keys, schema, slot, two_state,
    };
    #[pymodule_export]
    use super::trace::{trace, trace_facts, trace_ways};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("BUILD", env!("AIRTCP_BUILD"))?;
        module.add("MODEL_VERSION", airtcp_sim::MODEL_VERSION)
    }
}
