//! The driver in real time: it hands packets that leave one end to the path, and packets that the path has
//! carried to the other end.

use super::super::numbering::Numbering;
use super::super::one_way_path::OneWayPath;
use super::super::packet::IpPacket;
use super::super::record::{Fate, Record};
use super::clock::Clock;
use super::end::End;
use super::ip;
use super::log::Log;
use airtcp_core::{Instant, Span};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

/// Packets taken from an end before the other one has its turn.
const MAX_BATCH: usize = 32;
/// The longest wait that the driver spends awake: the kernel wakes a sleeping process up to this much too
/// late.
const BUSY_WAIT: Span = Span::from_nanos(100_000);

pub(super) struct Driver {
    pub(super) clock: Clock,
    /// The near and the far end.
    pub(super) ends: [End; 2],
    pub(super) log: Log,
    pub(super) refused_packets: u64,
    directions: [Direction; 2],
    packet_numbering: Option<Numbering>,
    framing: u64,
    buffer: Vec<u8>,
}

/// One direction of the path.
struct Direction {
    path: OneWayPath,
    /// The end where the direction begins and the end where it leads.
    from: usize,
    to: usize,
    next: u64,
    /// Records of packets of which no copy has reached its end yet, by number, from the oldest on.
    pending: VecDeque<Option<Record>>,
}

impl Driver {
    /// Connects the two ends by the two directions of the path, from the sender's side and back; `framing`
    /// bits are added to every packet on the air.
    pub(super) fn new(
        ends: [End; 2],
        directions: [OneWayPath; 2],
        sender: usize,
        (framing, numbering): (u64, Option<Numbering>),
        log: Log,
    ) -> Self {
        let [forward, reverse] = directions;
        let direction =
            |path, from| Direction { path, from, to: 1 - from, next: 0, pending: VecDeque::new() };
        let directions = [direction(forward, sender), direction(reverse, 1 - sender)];
        let (clock, buffer) = (Clock::new(), vec![0; 1 << 16]);
        Driver {
            clock,
            ends,
            log,
            refused_packets: 0,
            directions,
            packet_numbering: numbering,
            framing,
            buffer,
        }
    }

    /// Does one round of taking and delivering packets; returns true if a packet arrived.
    pub(super) fn step(&mut self) -> io::Result<bool> {
        let mut came = false;
        for direction in 0..2 {
            came |= self.receive(direction)?;
        }
        self.deliver(self.clock.now())?;
        Ok(came)
    }

    /// Sleeps until something is due, `until` at the latest, or one of the devices or `signals` can be read.
    /// Does not sleep if something is due soon.
    pub(super) fn sleep(&self, until: Instant, signals: BorrowedFd<'_>) -> io::Result<()> {
        let due = self.directions.iter().map(|d| d.path.due());
        let due = due.chain(self.ends.iter().map(End::next_timer)).fold(until, Instant::min);
        let span = due - self.clock.now();
        if span < BUSY_WAIT {
            return Ok(());
        }
        let devices = self.ends.iter().filter_map(End::device);
        let readable = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let mut watched: Vec<PollFd> = devices.chain([signals]).map(readable).collect();
        let span = TimeSpec::from_duration(std::time::Duration::from_nanos(
            (span.nanos() - BUSY_WAIT.nanos() / 2).cast_unsigned(),
        ));
        match ppoll(&mut watched, Some(span), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Finishes everything that is due by now; notes packets of which no copy has reached its end as on the way.
    pub(super) fn finish(&mut self) -> io::Result<Instant> {
        let end = self.clock.now();
        self.deliver(end)?;
        for direction in &mut self.directions {
            for record in direction.pending.drain(..).flatten() {
                self.log.record(&Record { at: end.nanos(), ..record })?;
            }
        }
        self.log.finish()?;
        Ok(end)
    }

    fn receive(&mut self, direction: usize) -> io::Result<bool> {
        let end = self.directions[direction].from;
        for taken in 0..MAX_BATCH {
            match self.ends[end].read_packet(self.clock.now(), &mut self.buffer)? {
                Some(length) => self.push_packet(direction, length)?,
                None => return Ok(taken > 0),
            }
        }
        Ok(true)
    }

    /// Puts a packet on the path now. IPv6 packets, which a kernel sends unasked, do not enter it.
    fn push_packet(&mut self, number: usize, length: usize) -> io::Result<()> {
        let (now, bytes) = (self.clock.now(), &self.buffer[..length]);
        if bytes[0] >> 4 != 4 {
            return Ok(());
        }
        let direction = &mut self.directions[number];
        let packet = IpPacket {
            number: self.packet_numbering.as_mut().and_then(|n| n.number(number, bytes)),
            connection: ip::connection(bytes),
            ecn: ip::ecn(bytes),
            bytes: bytes.to_vec(),
            ..IpPacket::new(direction.next, now, 8 * length as u64 + self.framing)
        };
        direction.next += 1;
        let record = Record::new(number, &packet, now, Fate::OnTheWay, 0);
        direction.pending.push_back(Some(record));
        self.log.capture(direction.from, now.nanos(), bytes)?;
        direction.path.push(packet);
        Ok(())
    }

    /// Delivers packets that the path has carried, and records lost ones, up to `now`.
    fn deliver(&mut self, now: Instant) -> io::Result<()> {
        for (number, direction) in self.directions.iter_mut().enumerate() {
            direction.path.advance(now);
            direction
                .path
                .check()
                .map_err(|full| io::Error::other(format!("{}: {}", full.field, full.message)))?;
            while let Some(record) = direction.path.take_lost() {
                self.log.copies[number] += u64::from(!direction.mark_arrived(record.id));
                self.log.record(&record)?;
            }
            while let Some((at, mut packet)) = direction.path.take_delivered() {
                if packet.is_marked {
                    ip::mark(&mut packet.bytes);
                }
                let is_first = direction.mark_arrived(packet.id.cast_signed());
                self.log.copies[number] += u64::from(!is_first);
                let taken = self.ends[direction.to].write_packet(self.clock.now(), &packet.bytes);
                self.refused_packets += u64::from(!taken);
                let left = self.clock.now();
                let record = Record::new(number, &packet, at, Fate::Delivered, 0);
                self.log.record(&Record { late: (left - at).nanos(), ..record })?;
                self.log.lateness.add(left - at);
                self.log.capture(direction.to, left.nanos(), &packet.bytes)?;
            }
        }
        Ok(())
    }
}

impl Direction {
    /// Notes that a copy of a packet has arrived to its end; returns true for the first copy.
    fn mark_arrived(&mut self, id: i64) -> bool {
        let oldest = self.next - self.pending.len() as u64;
        let Some(place) = id.cast_unsigned().checked_sub(oldest) else { return false };
        let is_first = self.pending[place as usize].take().is_some();
        while let Some(None) = self.pending.front() {
            self.pending.pop_front();
        }
        is_first
    }
}
