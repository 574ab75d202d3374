//! A capture and what is asked about it, from its bytes to the verdict.

use crate::about::About;
use crate::capture::Refusal;
use crate::change::Change;
use crate::connection::{Way, busiest};
use crate::infer;
use crate::search::{self, End};
use crate::setup::Setup;
use crate::trace::Trace;
use crate::verdict::Verdict;
use airtcp_core::Cancel;
use airtcp_linux::congestion::{DRAFT_NAMES, KERNEL_NAMES};

/// What somebody says about the sender beside the capture; nothing is left to it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Congestion control.
    pub control: Option<String>,
    /// `TCP_NODELAY`.
    pub nodelay: Option<bool>,
    /// `SO_SNDBUF` as it is in force, in bytes.
    pub sndbuf: Option<u64>,
    /// Settings by name.
    pub sysctl: Vec<(String, String)>,
    /// Rules that our sender has otherwise than Linux, by name.
    pub changes: Vec<String>,
    /// Differences after which the replay ends.
    pub differences: usize,
}

impl Default for Asked {
    fn default() -> Self {
        Asked {
            control: None,
            nodelay: None,
            sndbuf: None,
            sysctl: vec![],
            changes: vec![],
            differences: 1000,
        }
    }
}

/// What a replay found, and of which connection.
#[derive(Clone, Debug)]
pub struct Explained {
    /// From the sender to the receiver.
    pub way: Way,
    /// Congestion control of our sender.
    pub control: String,
    /// Whether the capture describes itself.
    pub described: bool,
    /// What was found.
    pub verdict: Verdict,
}

/// Replays the busiest sender of a capture.
///
/// # Errors
/// If the bytes are no capture, lack what a replay needs, or what is asked cannot be.
pub fn explain(bytes: &[u8], asked: &Asked, cancel: &Cancel) -> Result<Explained, Refusal> {
    let connection = busiest(bytes)?;
    let mut trace = Trace::of(&connection)?;
    let about = connection.comment.as_deref().and_then(About::parse);
    let mut setup = setup(&trace, about.as_ref(), asked).map_err(Refusal::Content)?;
    for name in &asked.changes {
        let change = Change::named(name).map_err(Refusal::Content)?;
        change.make(&mut setup, &mut trace);
        trace.assumed.push(format!("a rule of our sender changed: {name}"));
    }
    let verdict = replay(&trace, &setup, asked.differences, cancel);
    let control = setup.options.control;
    Ok(Explained { way: connection.way, control, described: about.is_some(), verdict })
}

fn setup(trace: &Trace, about: Option<&About>, asked: &Asked) -> Result<Setup, String> {
    let mut setup = Setup::of(trace, about)?;
    for (name, value) in &asked.sysctl {
        setup.set(name, value)?;
    }
    if let Some(control) = &asked.control {
        setup.options.control.clone_from(control);
    }
    if let Some(nodelay) = asked.nodelay {
        setup.options.nodelay = nodelay;
        setup.unknown.nodelay = false;
    }
    if asked.sndbuf.is_some() {
        setup.options.sndbuf = asked.sndbuf;
        setup.unknown.sndbuf = false;
    }
    let control = &setup.options.control;
    if KERNEL_NAMES.contains(&control.as_str()) {
        Ok(setup)
    } else {
        let of_draft = DRAFT_NAMES.contains(&control.as_str());
        let why = if of_draft { "is a draft's, which no kernel has, and " } else { "" };
        Err(format!("control = \"{control}\": {why}is not one of {}", KERNEL_NAMES.join(", ")))
    }
}

/// Replays a connection until so many differences are found.
#[must_use]
pub fn replay(trace: &Trace, setup: &Setup, most: usize, cancel: &Cancel) -> Verdict {
    let end = End { segments: usize::MAX, differences: most };
    if let Some(clock) = setup.clock {
        return search::run(trace, setup, clock, end, cancel);
    }
    let (setup, clock) = infer::likeliest(trace, setup, cancel);
    let mut verdict = search::run(trace, &setup, clock, end, cancel);
    verdict.assumed.extend(setup.inferred);
    verdict.inferred = true;
    verdict
}
