//! Settings from a scenario, as for its flows in the simulator.

use super::negotiated;
use super::settings::{LARGEST_BUFFER, SHORTEST_MTU, Settings};
use crate::lengths;
use crate::wire::HEADERS;
use airtcp_scenario::{PathScenario, Profile};
use airtcp_tcp::{CongestionSpec, GrowthConfig, RuleSource, SenderConfig};

impl Settings {
    /// The settings of both ends of the first flow of `scenario`, in replication `replication` under
    /// `seed`: sender and receiver are those of the simulator.
    ///
    /// On a wire sequence numbers count bytes. The senders of profile `ns2` number packets; here they
    /// become those of the RFCs with ns's timer, clock and initial windows, without limited transmit, and
    /// without reducing the window after an idle time. A window beyond 65535 B is rounded up to one that
    /// window scaling can express [RFC 7323 2.3].
    ///
    /// # Errors
    ///
    /// One line, field first: the value that a wire cannot carry.
    pub fn from_scenario(
        scenario: &PathScenario,
        seed: u64,
        replication: u64,
    ) -> Result<Self, String> {
        if scenario.profile == Profile::Linux {
            return Err("profile: linux has a stack of its own".to_owned());
        }
        let Some((sender, receiver)) = scenario.ends(seed, replication).into_iter().next() else {
            return Err("flow: missing; give at least one".to_owned());
        };
        if sender.ecn {
            let why = "our own TCP of the RFCs has no ECN on a wire (profile linux has)";
            let GrowthConfig::Named(growth) = sender.growth else {
                unreachable!("ECN of the RFCs")
            };
            let named = growth.counts_marks().then(|| format!("tcp.congestion: {}", growth.name()));
            return Err(format!("{}: {why}", named.unwrap_or_else(|| "tcp.ecn: true".into())));
        }
        let mtu = check_lengths(scenario)?;
        let base = Settings { mtu, ..Settings::rfc(sender.variant) };
        let receive_buffer = window(scenario, sender.rwnd.unwrap_or(receiver.window))?;
        let settings = Settings {
            sender: sender_in_bytes(sender, scenario),
            delayed_ack: receiver.delayed_ack,
            timestamps: scenario.first_tcp().timestamps(),
            // The sender never lacks a full packet while the application follows.
            send_buffer: (2 * receive_buffer).max(base.send_buffer).min(LARGEST_BUFFER),
            receive_buffer,
            // In the simulator nobody gives up.
            patience: base.patience.max(scenario.stop.time.span()),
            ..base
        };
        settings.checked()
    }
}

/// The sender with its numbers in bytes, as a wire needs it.
fn sender_in_bytes(sender: SenderConfig, scenario: &PathScenario) -> SenderConfig {
    if sender.source != RuleSource::Ns2 {
        return sender;
    }
    let payload = u32::try_from(payload(scenario)).unwrap_or(u32::MAX);
    let rfc = SenderConfig::rfc(
        sender.variant,
        CongestionSpec::default(),
        sender.window,
        payload,
        HEADERS as u32,
    );
    SenderConfig {
        timer: sender.timer,
        initial_window: sender.initial_window,
        ssthresh: sender.ssthresh,
        dupack_threshold: sender.dupack_threshold,
        probing: sender.probing,
        limited_transmit: false,
        restarts_after_idle: false,
        ..rfc
    }
}

/// The window in bytes: a multiple of the step of a scaled window.
fn window(scenario: &PathScenario, numbers: u64) -> Result<u32, String> {
    let in_packets = scenario.first_tcp().headers().is_none();
    let bytes = if in_packets { numbers * payload(scenario) } else { numbers };
    let fits = u32::try_from(bytes).ok().filter(|bytes| *bytes <= LARGEST_BUFFER);
    let bytes = fits.ok_or(format!("tcp.window: {bytes} B: at most {LARGEST_BUFFER} B"))?;
    Ok(bytes.next_multiple_of(1 << negotiated::shift(bytes)).min(LARGEST_BUFFER))
}

/// Payload of a full packet in bytes.
fn payload(scenario: &PathScenario) -> u64 {
    let options =
        if scenario.first_tcp().timestamps() { negotiated::STAMP_BYTES.into() } else { 0 };
    lengths::packet_length(scenario).saturating_sub(HEADERS as u64 + options)
}

/// Checks that a wire can carry packets and ACKs of these lengths; returns the length of a full packet.
pub(super) fn check_lengths(scenario: &PathScenario) -> Result<u16, String> {
    let (packet, below) = (lengths::packet_length(scenario), lengths::lower_layer_bits(scenario));
    if below < 0 {
        let (counted, least) = (HEADERS as i64 + below, HEADERS);
        return Err(format!(
            "tcp.header: {counted} B with tcp.framing: the headers of IPv4 and TCP have {least} B"
        ));
    }
    if lengths::lower_layer_bits_of_ack(scenario) != below {
        let tcp = scenario.first_tcp().sizes();
        let lower = tcp.framing.bytes().cast_signed();
        let ack = HEADERS as i64 + below - lower;
        return Err(format!(
            "tcp.ack: {} B: beside packets of these lengths an ACK has {ack} B on a wire",
            tcp.ack.bytes()
        ));
    }
    let mtu = u16::try_from(packet).ok().filter(|mtu| *mtu >= SHORTEST_MTU);
    mtu.ok_or(format!(
        "tcp.packet: an IP packet of {packet} B: from {SHORTEST_MTU} to {} B",
        u16::MAX
    ))
}
