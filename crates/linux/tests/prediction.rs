//! Header prediction [rules/recovery.md rule 4] comes to the same as the way of all segments: two hosts that use it wherever they
//! can say the same at the same times, bit by bit, as two that never do.

use airtcp_core::{Instant, Span, Stream};
use airtcp_linux::connection::{
    Connection, HostEnvironment, PlainDataOutcome, PlainSegment, Route, SocketOptions,
};
use airtcp_linux::segment::{Flags, Segment};
use airtcp_linux::sender::RuleChanges;
use airtcp_linux::{Clock, Sysctl, TimeInUnits};
use std::collections::VecDeque;

/// Half a round trip, and the time that a segment takes on the link.
const DELAY: Span = Span::from_nanos(10_000_000);
const SPACING: Span = Span::from_nanos(150_000);

/// A segment on its way, and whether it goes to the server.
type Flight = (Instant, bool, Segment);

struct Hosts {
    clock: Clock,
    client: Connection,
    server: Option<Connection>,
    environment: HostEnvironment,
    options: SocketOptions,
    predicts: bool,
    predicted: usize,
    has_written: bool,
    in_flight: VecDeque<Flight>,
    free: Instant,
    losses: Stream,
    loss_rate: f64,
    log: Vec<(Instant, Segment)>,
}

impl Hosts {
    fn new(control: &str, loss_rate: f64, predicts: bool) -> Self {
        let clock = Clock { phase: 1_234_567 };
        let environment = HostEnvironment {
            clock,
            sysctl: Sysctl::default(),
            route: Route::default(),
            timestamp_offset: 77,
            random: Stream::new(1, "control", 0),
            rule_changes: RuleChanges::default(),
        };
        let options = SocketOptions { control: Some(control.into()), ..SocketOptions::default() };
        let client = Connection::connect(&environment, &options, clock.units_at(Instant::START));
        let (losses, in_flight, log) = (Stream::new(1, "losses", 0), VecDeque::new(), Vec::new());
        let (server, predicted, has_written, free) = (None, 0, false, Instant::START);
        Hosts {
            clock,
            client,
            server,
            environment,
            options,
            predicts,
            predicted,
            has_written,
            in_flight,
            free,
            losses,
            loss_rate,
            log,
        }
    }

    /// Lets both hosts send what they have; data share a link that loses some.
    fn drain(&mut self, now: TimeInUnits) {
        while let Some(mut burst) = self.client.poll_plain(now) {
            loop {
                let segment = burst.take_first();
                self.log.push((now.instant, segment));
                self.free = self.free.max(now.instant) + SPACING;
                if segment.len == 0 || !self.losses.chance(self.loss_rate) {
                    self.in_flight.push_back((self.free + DELAY, true, segment));
                }
                if burst.len == 0 {
                    break;
                }
            }
        }
        while let Some(ack) = self.server.as_mut().and_then(Connection::transmit) {
            self.answer(now, ack);
        }
    }

    fn answer(&mut self, now: TimeInUnits, ack: Segment) {
        self.log.push((now.instant, ack));
        if ack.flags.has(Flags::SYN) || !self.losses.chance(self.loss_rate / 2.0) {
            self.in_flight.push_back((now.instant + DELAY, false, ack));
        }
    }

    fn arrive(&mut self, now: TimeInUnits, to_server: bool, segment: &Segment) {
        let plain = PlainSegment::from_segment(segment).filter(|_| self.predicts);
        if !to_server {
            let takes = plain.is_some_and(|plain| self.client.accept_plain_ack(now, &plain));
            self.predicted += usize::from(takes);
            if !takes {
                self.client.on_segment(now, segment, true);
            }
            if !std::mem::replace(&mut self.has_written, true) {
                self.client.write_all(now, u64::MAX);
            }
            return;
        }
        let Some(server) = &mut self.server else {
            self.server = Some(Connection::accept(&self.environment, &self.options, now, segment));
            return;
        };
        match plain
            .map_or(PlainDataOutcome::NotPlain, |plain| server.receive_plain_data(now, &plain))
        {
            PlainDataOutcome::NotPlain => {
                server.on_segment(now, segment, true);
                server.read(now, u64::MAX);
            }
            PlainDataOutcome::Silently => self.predicted += 1,
            PlainDataOutcome::With(answer) => {
                self.predicted += 1;
                let ack = Segment {
                    seq: answer.seq,
                    ack: answer.ack,
                    flags: Flags::ACK,
                    window: answer.window,
                    timestamps: answer.timestamps,
                    departure: now.instant,
                    ..Segment::default()
                };
                self.answer(now, ack);
            }
        }
    }

    /// One arrival or timer after the other.
    fn run(mut self, end: Instant) -> (Vec<(Instant, Segment)>, usize) {
        self.drain(self.clock.units_at(Instant::START));
        loop {
            let first =
                (0..self.in_flight.len()).min_by_key(|place| (self.in_flight[*place].0, *place));
            let arrival = first.map_or(Instant::NEVER, |place| self.in_flight[place].0);
            let client = self.client.next_timer();
            let server = self.server.as_ref().map_or(Instant::NEVER, Connection::next_timer);
            let at = arrival.min(client).min(server);
            if at >= end {
                return (self.log, self.predicted);
            }
            let now = self.clock.units_at(at);
            if at == arrival {
                let (_, to_server, segment) = self.in_flight.remove(first.unwrap()).unwrap();
                self.arrive(now, to_server, &segment);
            } else if at == client {
                self.client.on_timer(now);
            } else {
                self.server.as_mut().unwrap().on_timer(now);
            }
            self.drain(now);
        }
    }
}

#[test]
fn prediction_changes_nothing() {
    let end = Instant::from_nanos(4_000_000_000);
    for control in ["cubic", "reno", "bbr", "bbr3"] {
        for loss_rate in [0.0, 0.01, 0.1] {
            let (slow, none) = Hosts::new(control, loss_rate, false).run(end);
            let (fast, predicted) = Hosts::new(control, loss_rate, true).run(end);
            assert_eq!(none, 0);
            assert!(slow.len() > 300 && predicted > 50, "{control} {loss_rate}");
            for (slow, fast) in slow.iter().zip(&fast) {
                assert_eq!(slow, fast, "{control} {loss_rate}");
            }
            assert_eq!(slow.len(), fast.len(), "{control} {loss_rate}");
        }
    }
}
