//! One connection, with a test as its other end.

use crate::stack::net::{ADDRESSES, PORT, millis};
use airtcp_core::Instant;
use airtcp_live::stack::{Connection, Ending, Peers, Settings, State};
use airtcp_live::wire::{Flags, Header, Options, Packet};
use airtcp_tcp::Variant;
use std::net::SocketAddrV4;

/// Our initial sequence number, and the other end's.
const OURS: u32 = 1000;
pub(crate) const THEIRS: u32 = 5000;
/// The window that the other end advertises.
const WINDOW: u16 = 1024;

/// Settings without options, with a buffer as large as a window without them can be.
pub(crate) fn plain() -> Settings {
    let settings = Settings::rfc(Variant::NewReno);
    Settings { timestamps: false, scaling: false, receive_buffer: 65_535, ..settings }
}

/// One connection, and the segments that it has sent and no test has looked at.
pub(crate) struct Script {
    connection: Connection,
    now: Instant,
    events: Vec<String>,
    answers: usize,
    buffer: Vec<u8>,
}

impl Script {
    fn new(connection: Connection) -> Self {
        let mut script =
            Script { connection, now: Instant::START, events: vec![], answers: 0, buffer: vec![] };
        script.drain();
        script
    }

    fn peers() -> Peers {
        let socket = |i: usize| SocketAddrV4::new(ADDRESSES[i], PORT);
        Peers { local: socket(0), remote: socket(1) }
    }

    /// We begin.
    pub(crate) fn connect(settings: Settings) -> Self {
        Script::connect_from(settings, OURS)
    }

    /// A connection that this end opens with another first number.
    pub(crate) fn connect_from(settings: Settings, initial: u32) -> Self {
        Script::new(Connection::connect(Script::peers(), settings, initial))
    }

    /// A connection that the other end has begun.
    pub(crate) fn accept(settings: Settings) -> Self {
        Script::accept_with(settings, Options::default())
    }

    /// A connection that the other end has begun by a SYN with these options.
    pub(crate) fn accept_with(settings: Settings, options: Options) -> Self {
        let syn = Header { seq: THEIRS, flags: Flags::SYN, window: WINDOW, options, ack: 0 };
        Script::new(Connection::accept(Script::peers(), settings, OURS, &syn))
    }

    /// A connection after its handshake.
    pub(crate) fn open(settings: Settings) -> Self {
        Script::open_with(settings, Options::default())
    }

    /// A connection after its handshake, in which the other end's SYN and ACK had these options.
    pub(crate) fn open_with(settings: Settings, options: Options) -> Self {
        let mut script = Script::accept_with(settings, options);
        script.get_with(Flags::ACK, THEIRS + 1, OURS + 1, b"", options);
        script.events.clear();
        script.answers = 0;
        script
    }

    /// Lets a segment arrive.
    pub(crate) fn get(&mut self, flags: Flags, seq: u32, ack: u32, payload: &[u8]) {
        self.get_with(flags, seq, ack, payload, Options::default());
    }

    pub(crate) fn get_with(
        &mut self,
        flags: Flags,
        seq: u32,
        ack: u32,
        payload: &[u8],
        options: Options,
    ) {
        self.get_header(&Header { seq, ack, flags, window: WINDOW, options }, payload);
    }

    /// Lets an ACK arrive that advertises `window`.
    pub(crate) fn get_window(&mut self, seq: u32, ack: u32, window: u16) {
        let header = Header { seq, ack, flags: Flags::ACK, window, options: Options::default() };
        self.get_header(&header, b"");
    }

    pub(crate) fn get_header(&mut self, header: &Header, payload: &[u8]) {
        let Peers { local, remote } = Script::peers();
        let packet = Packet { source: remote, destination: local, header: *header, payload };
        self.connection.on_packet(self.now, &packet);
        self.drain();
    }

    /// Lets `ms` milliseconds pass.
    pub(crate) fn wait(&mut self, ms: i64) {
        let end = self.now + millis(ms);
        while self.connection.poll_timeout() <= end {
            self.now = self.now.max(self.connection.poll_timeout());
            self.connection.on_timer(self.now);
            self.drain();
        }
        self.now = end;
    }

    /// Checks the segments sent since the last look.
    pub(crate) fn says(&mut self, expected: &[&str]) {
        assert_eq!(std::mem::take(&mut self.events), expected);
    }

    /// Forgets the segments sent so far.
    pub(crate) fn forget(&mut self) {
        self.events.clear();
    }

    /// The first segment since the last look.
    pub(crate) fn first_said(&self) -> &str {
        &self.events[0]
    }

    /// The last segment since the last look.
    pub(crate) fn last_said(&self) -> &str {
        &self.events[self.events.len() - 1]
    }

    /// Number of segments that were sent at all.
    pub(crate) fn answers(&self) -> usize {
        self.answers
    }

    pub(crate) fn write(&mut self, data: &[u8]) -> usize {
        let written = self.connection.write(data);
        self.drain();
        written
    }

    /// Reads all data that can be read.
    pub(crate) fn read(&mut self) -> Vec<u8> {
        self.read_some(usize::MAX)
    }

    pub(crate) fn read_some(&mut self, most: usize) -> Vec<u8> {
        self.buffer.resize(most.min(1 << 20), 0);
        let amount = self.connection.read(&mut self.buffer);
        self.drain();
        self.buffer[..amount].to_vec()
    }

    pub(crate) fn close(&mut self) {
        self.connection.close();
        self.drain();
    }

    pub(crate) fn abort(&mut self) {
        self.connection.abort(self.now);
        self.drain();
    }

    pub(crate) fn state(&self) -> State {
        self.connection.state()
    }

    pub(crate) fn at_end(&self) -> bool {
        self.connection.has_read_all()
    }

    pub(crate) fn ending(&self) -> Option<Ending> {
        self.connection.ending()
    }

    fn drain(&mut self) {
        while let Some(bytes) = self.connection.poll_transmit(self.now) {
            self.answers += 1;
            self.events.push(show(&Packet::parse(&bytes).expect("what is sent is well-formed")));
        }
    }
}

/// Shows a packet roughly as tcpdump does.
fn show(packet: &Packet) -> String {
    let Header { seq, ack, flags, window, .. } = packet.header;
    let letters = [(Flags::FIN, "F"), (Flags::SYN, "S"), (Flags::RST, "R"), (Flags::PSH, "P")];
    let set: String = letters.iter().filter(|l| flags.has(l.0)).map(|l| l.1).collect();
    let length = packet.payload.len();
    let probe = packet.header.options.probe.map_or(String::new(), |p| {
        let answer = if p.answer { " answered" } else { "" };
        format!(" {:?} probe {}{answer}", p.kind, p.number)
    });
    if flags.has(Flags::ACK) {
        format!("{set}. {seq}({length}) ack {ack} win {window}{probe}")
    } else {
        format!("{set} {seq}({length}) win {window}{probe}")
    }
}
