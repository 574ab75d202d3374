//! The host, socket and application of a replay, as a capture describes them itself or the user gives them.

use crate::application::Application;
use crate::host_facts::HostFacts;
use crate::kernel_age::KernelAge;
use crate::trace::Trace;
use airtcp_linux::clock::TICK;
use airtcp_linux::sender::SenderOptions;
use airtcp_linux::{Clock, Sysctl};

/// Nanoseconds from 0 to the start of a capture that does not say what its host's clock showed.
const TIME_BEFORE_CAPTURE: i64 = 10_000_000_000;

/// Nanoseconds of a timestamp's unit [crates/linux/rules/options.md].
const MILLISECOND: i64 = 1_000_000;

/// Facts about a sender that are not given and must be inferred from the segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFacts {
    /// True if the times and sizes of writes are unknown.
    pub writes: bool,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// True if the send buffer may have made the application wait.
    pub sndbuf: bool,
}

impl UnknownFacts {
    const fn all(unknown: bool) -> UnknownFacts {
        UnknownFacts { writes: unknown, nodelay: unknown, sndbuf: unknown }
    }
}

/// Everything that our sender needs besides the arriving segments.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Settings.
    pub sysctl: Sysctl,
    /// The socket.
    pub options: SenderOptions,
    /// Behaviour of the application.
    pub application: Application,
    /// Nanoseconds to subtract from times of the capture to get those of the host.
    pub clock_origin: i64,
    /// Number to add to milliseconds of the host to get the sender's timestamps.
    pub timestamp_offset: u32,
    /// The ticks, if they are known.
    pub clock: Option<Clock>,
    /// True if the last data waited for the end of the connection (`MSG_MORE`, `TCP_CORK`).
    pub last_data_held: bool,
    /// The age of Linux.
    pub(crate) kernel: KernelAge,
    /// Initial window in packets, if it differs from the trace's.
    pub initial_window: Option<u32>,
    /// Facts to be inferred from the segments.
    pub unknown: UnknownFacts,
    /// Lines, in words, on the facts that were inferred.
    pub inferred: Vec<String>,
    /// Nanoseconds by which a segment may leave earlier than our sender's segment (`late_tolerance`: later).
    pub early_tolerance: i64,
    /// See `early`.
    pub late_tolerance: i64,
    /// Longest delay (ns) between a write becoming possible and the process writing.
    pub max_write_delay: i64,
}

impl Setup {
    /// Makes the setup that the capture describes; by default CUBIC under the defaults of Linux, and data without end.
    ///
    /// # Errors
    /// A setting that is not known, or a value that it cannot have.
    pub fn from_trace(trace: &Trace, about: Option<&HostFacts>) -> Result<Setup, String> {
        let mut setup = Setup {
            sysctl: Sysctl::default(),
            options: SenderOptions { wakes_itself: false, ..SenderOptions::default() },
            application: Application::single_write(trace, infer_clock_origin(trace)),
            clock_origin: infer_clock_origin(trace),
            timestamp_offset: 0,
            clock: None,
            last_data_held: false,
            kernel: KernelAge::default(),
            initial_window: None,
            inferred: vec![],
            unknown: UnknownFacts::all(about.is_none()),
            early_tolerance: 1_000_000 + (trace.tick - TICK),
            late_tolerance: 6_000_000 + (trace.tick - TICK),
            max_write_delay: 100_000_000,
        };
        if let Some(about) = about {
            setup.apply_facts(about)?;
        }
        setup.timestamp_offset = infer_timestamp_offset(trace, setup.clock_origin);
        Ok(setup)
    }

    /// Applies the facts that the capture's comment describes.
    fn apply_facts(&mut self, about: &HostFacts) -> Result<(), String> {
        for (name, value) in &about.sysctl {
            self.set_sysctl(name, value)?;
        }
        self.options.nodelay = about.nodelay;
        self.options.sndbuf = about.sndbuf;
        if let Some(control) = &about.control {
            self.options.control.clone_from(control);
        }
        if let Some(origin) = about.monotonic_offset {
            self.clock_origin = origin;
            let written = about.writes.iter().map(|&(begin, _, bytes)| (begin, bytes)).collect();
            self.application = Application::Writes(written, about.shutdown);
            if let Some((at, jiffy)) = about.jiffy_start {
                let began = i64::try_from(jiffy).ok().and_then(|j| j.checked_mul(TICK));
                self.clock = began.map(|began| Clock { phase: began - at });
            }
        }
        Ok(())
    }

    /// Gives a setting of the host a value.
    ///
    /// # Errors
    /// The reason why the host cannot have the setting.
    pub fn set_sysctl(&mut self, name: &str, value: &str) -> Result<(), String> {
        let short = name.strip_prefix("net.ipv4.").unwrap_or(name);
        self.sysctl.set(short, value).map_err(|why| {
            why.unwrap_or_else(|| format!("{name}: is no setting that this sender knows"))
        })
    }
}

/// Origin of the host's clock if the capture does not record it: some time before the capture, aligned so that no
/// timestamp is earlier than its millisecond.
fn infer_clock_origin(trace: &Trace) -> i64 {
    let from = trace.start - TIME_BEFORE_CAPTURE;
    let Some(&(_, first)) = trace.stamps.first() else { return from };
    let passed = |value: u32| i64::from(value.wrapping_sub(first).cast_signed()) * MILLISECOND;
    let begins = trace.stamps.iter().map(|&(time, value)| time - passed(value)).min();
    from + (begins.unwrap_or(from) - from).rem_euclid(MILLISECOND)
}

/// Offset of timestamps: a segment carries the millisecond in which it was built, which is that of its capture or the
/// one before.
fn infer_timestamp_offset(trace: &Trace, origin: i64) -> u32 {
    let of = |&(time, value): &(i64, u32)| value.wrapping_sub(((time - origin) / 1_000_000) as u32);
    let Some(first) = trace.stamps.first().map(of) else { return 0 };
    let ahead = trace.stamps.iter().map(|stamp| of(stamp).wrapping_sub(first).cast_signed());
    first.wrapping_add(ahead.max().unwrap_or(0).cast_unsigned())
}
