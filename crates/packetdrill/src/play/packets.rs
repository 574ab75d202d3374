//! Packets in and out.

use super::clock::{TimeWindow, seconds};
use super::compare::{self, Expected};
use super::player::{Player, SECOND, Step, StopReason, failure, no_socket};
use super::tracked::State;
use crate::limits;
use crate::packet::{Flags, Icmp, Packet};
use crate::script::{Event, Segment, Tos};
use airtcp_core::{Instant, Span};

impl Player<'_, '_> {
    pub(super) fn inbound(&mut self, event: &Event, segment: &Segment) -> Step {
        let options = &self.script.options;
        let tracked = self.sockets.for_inbound(segment, options.bind_port);
        let Some(tracked) = tracked else { return Err(no_socket(event.line)) };
        let (source, destination) = segment.ports.unwrap_or_default();
        let or = |port: u16, known: u16| if port == 0 { known } else { port };
        let tos = match segment.ip.tos {
            Tos::Ecn(mark) => mark,
            Tos::Whole(tos) => tos,
            Tos::Any | Tos::Ect => 0,
        };
        let mut packet = Packet {
            source: or(source, tracked.remote),
            destination: or(destination, tracked.local),
            flags: segment.flags,
            sequence: segment.sequence,
            acknowledgment: segment.acknowledgment,
            window: segment.window.unwrap_or_default(),
            urgent: segment.urgent,
            options: segment.options.clone().unwrap_or_default(),
            payload: segment.payload.into(),
            tos,
            ttl: segment.ip.ttl.unwrap_or(64),
            flow_label: segment.ip.flow_label.unwrap_or_default(),
        };
        let mapped = tracked.mapping.to_live(&mut packet, options.scaled_echoes);
        mapped.map_err(|actual| {
            failure(event.line, "an echo of a timestamp that was sent", actual)
        })?;
        self.host.receive(self.now, &packet);
        self.drain_host()
    }

    pub(super) fn icmp(&mut self, event: &Event, message: &Icmp) -> Step {
        let Some(tracked) = self.sockets.under_test() else { return Err(no_socket(event.line)) };
        let sequence = tracked.mapping.live_sequence(message.sequence);
        let (local, remote) = (tracked.local, tracked.remote);
        let message = Icmp { sequence, local, remote, ..message.clone() };
        let (line, column) = (event.line, event.column);
        let taken = self.host.receive_icmp(self.now, &message);
        taken.map_err(|text| StopReason::Refusal { line, column, what: text })?;
        self.drain_host()
    }

    pub(super) fn outbound(
        &mut self,
        line: usize,
        wanted: &Segment,
        window: TimeWindow,
        tolerance: Span,
    ) -> Step {
        if self.sockets.for_outbound(wanted).is_none() {
            return Err(no_socket(line));
        }
        let expected = || {
            let when = match window.bounds {
                None => "at any time".to_owned(),
                Some((from, to)) if from == to => format!("at {} s", seconds(from)),
                Some((from, to)) => format!("from {} to {} s", seconds(from), seconds(to)),
            };
            format!("{} {when}", Expected(wanted))
        };
        let latest = window.bounds.map_or(window.at, |(_, to)| to).max(self.now);
        let patience = latest + tolerance + Span::from_nanos(limits::MAX_SILENCE_SECONDS * SECOND);
        let mut parts: Vec<Packet> = vec![];
        let mut length = 0_u32;
        let mut when = self.now;
        let mut allowed = String::new();
        while parts.is_empty()
            || (length < u32::from(wanted.payload) && !self.script.options.strict_segments)
        {
            let Some((at, packet)) = self.next_packet(wanted, patience)? else {
                let until = seconds(patience);
                let actual = match parts.len() {
                    0 => format!("nothing came until {until} s"),
                    n => format!("{n} segments of {length} bytes came until {until} s{allowed}"),
                };
                return Err(failure(line, expected(), actual));
            };
            if let Some(before) = parts.last() {
                let missing = u32::from(wanted.payload) - length;
                let joins = compare::follows_directly(before, &packet, missing);
                joins.map_err(|why| {
                    let actual = format!(
                        "{packet} came at {} s after {length} bytes: {why}{allowed}",
                        seconds(at)
                    );
                    failure(line, expected(), actual)
                })?;
            }
            length = length.saturating_add(packet.payload);
            when = at;
            parts.push(packet);
            allowed = self.allowance_text(parts.len());
        }
        let Some(mut actual) = compare::merge_parts(&parts) else { return Err(no_socket(line)) };
        let Some(tracked) = self.sockets.under_test() else { return Err(no_socket(line)) };
        let verdict =
            compare::compare(wanted, &mut actual, &mut tracked.mapping, &self.script.options);
        let verdict = verdict.and_then(|()| {
            let wrong = window.check(when, tolerance);
            wrong.map_err(|when| format!("it was sent {when}"))
        });
        verdict.map_err(|why| {
            failure(line, expected(), format!("{actual} came at {} s: {why}", seconds(when)))
        })
    }

    /// Text on the windows that allow this many segments; empty if the host does not report them.
    fn allowance_text(&mut self, segments: usize) -> String {
        let fd = self.sockets.under_test().and_then(|tracked| tracked.fd);
        let asked = |field| fd.and_then(|fd| self.host.information(self.now, fd, field));
        let (Some(cwnd), Some(window)) = (asked("tcpi_snd_cwnd"), asked("tcpi_snd_wnd")) else {
            return String::new();
        };
        let went =
            if segments == 1 { "1 segment".to_owned() } else { format!("{segments} segments") };
        format!("; {went} went under a cwnd of {cwnd} and a window of {window} bytes")
    }

    /// The next packet of the socket under test, with the script's numbers; packets of other sockets are
    /// dropped.
    pub(super) fn next_packet(
        &mut self,
        expected: &Segment,
        patience: Instant,
    ) -> Step<Option<(Instant, Packet)>> {
        loop {
            while let Some((at, mut packet)) = self.sent.pop_front() {
                let Some(tracked) = self.sockets.under_test() else { continue };
                if !tracked.owns(&packet) {
                    continue;
                }
                let answers = expected.flags.has(Flags::SYN.with(Flags::ACK));
                if tracked.state == State::Begun && answers {
                    tracked.state = State::SynAckSent;
                    tracked.mapping.live_local = packet.sequence;
                }
                tracked.mapping.to_script(&mut packet);
                return Ok(Some((at, packet)));
            }
            if !self.run_next_timer(patience)? {
                return Ok(None);
            }
        }
    }
}
