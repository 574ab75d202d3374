//! The two ends of every flow, built for one run: the same for the simulator and for real packets.

use crate::path::{Flow, PathScenario, PathTcp};
use crate::profile::Profile;
use crate::rules::{Bsd, Rfc, Rules};
use airtcp_core::{Size, Span, Stream};
use airtcp_tcp::{
    NsSettings, NsSinkConfig, PROBE_OPTION_BYTES, ProbingConfig, ReceiverConfig, SackConfig,
    SenderConfig, TickSettings, TimerConfig,
};

impl PathScenario {
    /// Sender and receiver of every flow in replication `replication` under `seed`, which decide the
    /// phase of clocks that have a random one.
    ///
    /// # Panics
    /// If the scenario was not validated.
    #[must_use]
    pub fn ends(&self, seed: u64, replication: u64) -> Vec<(SenderConfig, ReceiverConfig)> {
        let mut ends = self.per_flow(|flow| ends(self, flow));
        for (i, (sender, _)) in ends.iter_mut().enumerate() {
            if let Some((tick, boot)) = sender.timer.random_phase() {
                *boot = phase(tick, Stream::new(seed, &format!("flow{i}/clock"), replication));
            }
        }
        ends
    }

    /// Whether some clock has a random phase.
    pub(crate) fn has_random_clock(&self) -> bool {
        self.profile == Profile::Linux
            || self.flow.iter().any(|flow| ends(self, flow).0.timer.random_phase().is_some())
    }
}

/// A phase of a clock, each as likely as the others.
fn phase(tick: Span, mut stream: Stream) -> Span {
    Span::from_nanos((stream.uniform() * tick.nanos() as f64) as i64)
}

fn ends(scenario: &PathScenario, flow: &Flow) -> (SenderConfig, ReceiverConfig) {
    let tcp = scenario.tcp_of(flow);
    let rwnd = tcp.window_numbers();
    let window = u32::try_from(rwnd / tcp.unit()).expect("a validated window");
    let (sender, receiver) = match tcp.rules(scenario.profile).expect("a validated scenario") {
        Rules::Ns2 { tick, boot, ns } => ns2_ends(tcp, window, (tick.span(), boot), ns),
        Rules::Rfc(rules) => rfc_ends(tcp, window, &rules),
        Rules::Bsd(rules) => bsd_ends(tcp, window, &rules),
        Rules::Linux(_) => unreachable!("hosts of Linux are built by themselves"),
    };
    let sender = SenderConfig {
        ssthresh: tcp.ssthresh.unwrap_or(sender.ssthresh),
        dupack_threshold: tcp.dupacks.expect("a validated scenario"),
        rwnd: Some(rwnd),
        probing: probing(tcp),
        ..sender
    };
    (sender, ReceiverConfig { window: rwnd, ..receiver })
}

fn probing(tcp: &PathTcp) -> ProbingConfig {
    let keys = tcp.probing.as_deref().copied().unwrap_or_default();
    ProbingConfig {
        tolerance: keys.tolerance,
        estimates: keys.skip_estimates,
        interval: keys.skip_interval.span(),
        rewind: keys.rewind,
        backoff: keys.backoff,
        bits: tcp.ack_size().bits() + 8 * u64::from(PROBE_OPTION_BYTES),
    }
}

fn ns2_ends(
    tcp: &PathTcp,
    window: u32,
    (tick, boot): (Span, f64),
    ns: NsSettings,
) -> (SenderConfig, ReceiverConfig) {
    let boot = Span::from_nanos((boot * 1e9) as i64);
    let sack = tcp.recovery().capabilities().sacks.then_some(SackConfig::NS2);
    let immediate = ReceiverConfig::immediate(window.into(), tcp.ack_size().bits(), sack);
    let sink = tcp.ns.is_some().then(|| NsSinkConfig {
        interval: ns.interval.span(),
        immediate_ack: ns.immediate_ack,
        syn_immediate_ack: ns.syn_immediate_ack,
        ecn: ns.ecn,
    });
    let timer = TickSettings {
        initial: ns.rtxcur_init.span(),
        least: ns.minrto.span(),
        most: ns.maxrto.span(),
        doubles_least: ns.rfc2988,
        samples_first: ns.timerfix,
    };
    let sender = SenderConfig {
        initial_window: ns.first_window(),
        timer: TimerConfig::Ticks { tick, boot, ns: timer },
        syn_bits: ns.syn.then(|| tcp.ack_size().bits()),
        ns,
        ..SenderConfig::ns2(tcp.recovery(), window, tick, boot, tcp.packet.bits())
    };
    (sender, ReceiverConfig { ns: sink, ..immediate })
}

fn rfc_ends(tcp: &PathTcp, window: u32, rules: &Rfc) -> (SenderConfig, ReceiverConfig) {
    let mss = u32::try_from(tcp.unit()).expect("a validated size");
    let header = tcp.headers().map_or(0, Size::bytes);
    let header = u32::try_from(header).expect("less than the packet");
    let sender = SenderConfig {
        initial_window: rules.initial_window,
        slow_start: rules.abc_limit,
        limited_transmit: rules.limited_transmit,
        ecn: rules.ecn,
        detection: Some(rules.detection),
        reduction: rules.reduction,
        start: rules.slow_start,
        spurious: rules.spurious,
        timer: TimerConfig::Rfc6298 {
            initial: rules.initial_rto.span(),
            margin: rules.rto_margin.span(),
            least: rules.min_rto.span(),
            most: rules.max_rto.span(),
        },
        ..SenderConfig::rfc(tcp.recovery(), rules.growth, window, mss, header)
    };
    let timestamps = rules.spurious.timestamps();
    let sack = if timestamps { SackConfig::BESIDE_TIMESTAMPS } else { SackConfig::RFC2018 };
    let receiver = ReceiverConfig {
        window: u64::from(window) * u64::from(mss),
        ack_bits: tcp.ack_size().bits(),
        sack: tcp.recovery().capabilities().sacks.then_some(sack),
        delayed_ack: rules.delayed_ack.span(),
        mss,
        timestamps,
        exact_marks: rules.growth.counts_marks(),
        ns: None,
    };
    (sender, receiver)
}

fn bsd_ends(tcp: &PathTcp, window: u32, rules: &Bsd) -> (SenderConfig, ReceiverConfig) {
    let mss = u32::try_from(tcp.unit()).expect("a validated size");
    let header = u32::try_from(rules.header.bytes()).expect("less than the packet");
    let clock = (rules.tick.span(), Span::ZERO);
    let sender = SenderConfig {
        initial_window: rules.initial_window,
        ..SenderConfig::bsd(tcp.recovery(), window, mss, header, clock)
    };
    let immediate = ReceiverConfig::immediate(0, tcp.ack_size().bits(), None);
    (sender, ReceiverConfig { mss, ..immediate })
}
