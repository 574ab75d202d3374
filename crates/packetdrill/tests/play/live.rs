//! The stack of `airtcp-live` behind the trait: an example of the code that puts a TCP under test.

use super::fake::CONNECTED;
use super::{failure, passes};
use airtcp_core::{Instant, Stream};
use airtcp_live::stack::{Peers, Settings, Stack, State};
use airtcp_live::wire;
use airtcp_packetdrill::{
    Answer, Call, Flags, Host, Options, Outcome, Packet, SettingChange, TcpOption, symbols,
};
use airtcp_tcp::Variant;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};

const LOCAL: Ipv4Addr = Ipv4Addr::new(192, 168, 0, 1);
const REMOTE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
/// The port from which the stack connects.
const PORT: u16 = 40_000;

enum Blocked {
    Accept,
    Connect(Peers),
    Read(Peers, u64),
}

pub(crate) struct Live {
    stack: Stack,
    ports: (u16, u16),
    /// Connections by descriptor; `None` for a socket that listens or is new.
    descriptors: BTreeMap<i64, Option<Peers>>,
    blocked: Option<Blocked>,
}

impl Live {
    pub(crate) fn new() -> Self {
        let settings = Settings::rfc(Variant::NewReno);
        let settings = Settings { timestamps: false, scaling: false, ..settings };
        let settings = Settings { receive_buffer: 65_535, ..settings };
        let stack = Stack::new(LOCAL, settings, Stream::new(1, "isn", 0)).unwrap();
        Live { stack, ports: (0, 0), descriptors: BTreeMap::new(), blocked: None }
    }

    fn open(&mut self, peers: Option<Peers>) -> Answer {
        let fd = 3 + self.descriptors.len() as i64;
        self.descriptors.insert(fd, peers);
        Answer::from_result(fd)
    }

    fn peers(&self, fd: i64) -> Option<Peers> {
        self.descriptors.get(&fd).copied().flatten()
    }

    /// The answer of the blocked call, if there is one now.
    fn poll(&mut self, blocked: &Blocked) -> Option<Answer> {
        match blocked {
            Blocked::Accept => self.stack.accept().map(|peers| self.open(Some(peers))),
            Blocked::Connect(peers) => match self.stack.get(*peers).map(|socket| socket.state()) {
                Some(State::SynSent | State::SynReceived) => None,
                Some(State::Closed) | None => Some(Answer::from_error(symbols::ECONNREFUSED)),
                Some(_) => Some(Answer::from_result(0)),
            },
            Blocked::Read(peers, room) => {
                let connection = self.stack.get_mut(*peers)?;
                let mut buffer = vec![0; *room as usize];
                let read = connection.read(&mut buffer);
                (read > 0 || connection.has_read_all()).then(|| Answer::from_result(read as i64))
            }
        }
    }

    fn wait(&mut self, blocked: Blocked) -> Outcome {
        match self.poll(&blocked) {
            Some(answer) => Outcome::Returned(answer),
            None => {
                self.blocked = Some(blocked);
                Outcome::Blocked
            }
        }
    }
}

impl Host for Live {
    fn configure(
        &mut self,
        _: Instant,
        options: &Options,
        _: &[SettingChange],
    ) -> Result<(), String> {
        self.ports = (options.bind_port, options.connect_port);
        Ok(())
    }

    fn call(&mut self, _: Instant, call: &Call) -> Outcome {
        Outcome::Returned(match call {
            Call::Socket { .. } => self.open(None),
            Call::Listen { .. } => {
                self.stack.listen(self.ports.0);
                Answer::from_result(0)
            }
            Call::Accept { .. } => return self.wait(Blocked::Accept),
            Call::Connect { fd, .. } => {
                let remote = SocketAddrV4::new(REMOTE, self.ports.1);
                let Ok(peers) = self.stack.connect(PORT, remote) else {
                    return Outcome::Returned(Answer::from_error(symbols::EADDRINUSE));
                };
                self.descriptors.insert(*fd, Some(peers));
                return self.wait(Blocked::Connect(peers));
            }
            Call::Send { fd, buffers, .. } => match self.peers(*fd) {
                Some(peers) => {
                    let data = vec![0; buffers.total() as usize];
                    let written =
                        self.stack.get_mut(peers).map_or(0, |connection| connection.write(&data));
                    Answer::from_result(written as i64)
                }
                None => Answer::from_error(symbols::ENOTCONN),
            },
            Call::Receive { fd, buffers, .. } => match self.peers(*fd) {
                Some(peers) => return self.wait(Blocked::Read(peers, buffers.total())),
                None => Answer::from_error(symbols::ENOTCONN),
            },
            Call::Close { fd } => {
                self.peers(*fd).iter().for_each(|peers| self.stack.release(*peers));
                Answer::from_result(0)
            }
            _ => Answer::from_result(0),
        })
    }

    fn poll_blocked_call(&mut self, _: Instant) -> Option<Answer> {
        let blocked = self.blocked.take()?;
        let answer = self.poll(&blocked);
        if answer.is_none() {
            self.blocked = Some(blocked);
        }
        answer
    }

    fn receive(&mut self, now: Instant, packet: &Packet) {
        self.stack.on_packet(now, &to_wire(packet));
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        self.stack.poll_transmit(now).map(|bytes| from_wire(&bytes))
    }

    fn next_timer(&self) -> Instant {
        self.stack.poll_timeout()
    }

    fn on_timer(&mut self, now: Instant) {
        self.stack.on_timer(now);
    }

    fn information(&self, _: Instant, fd: i64, field: &str) -> Option<i128> {
        let connection = self.stack.get(self.peers(fd)?)?;
        match field {
            "tcpi_state" => Some(match connection.state() {
                State::Established => 1,
                State::CloseWait => 8,
                _ => 0,
            }),
            _ => None,
        }
    }
}

fn to_wire(packet: &Packet) -> Vec<u8> {
    let mut options = wire::Options::default();
    for option in &packet.options {
        match option {
            TcpOption::Mss(bytes) => options.mss = Some(*bytes),
            TcpOption::SackPermitted => options.sack_permitted = true,
            TcpOption::WindowScale(shift) => options.scale = Some(*shift),
            TcpOption::Sack(blocks) => blocks.iter().for_each(|(a, b)| options.sack.push(*a, *b)),
            _ => {}
        }
    }
    let header = wire::Header {
        seq: packet.sequence,
        ack: packet.acknowledgment,
        flags: wire::Flags::from_bits(packet.flags.0 as u8),
        window: packet.window,
        options,
    };
    let payload = vec![0; packet.payload as usize];
    let source = SocketAddrV4::new(REMOTE, packet.source);
    let destination = SocketAddrV4::new(LOCAL, packet.destination);
    wire::Packet { source, destination, header, payload: &payload }.write(0)
}

fn from_wire(bytes: &[u8]) -> Packet {
    let packet = wire::Packet::parse(bytes).expect("the stack sends packets");
    // The order of the options is that of the bytes.
    let end = 20 + usize::from(bytes[32] >> 4) * 4;
    Packet {
        source: packet.source.port(),
        destination: packet.destination.port(),
        flags: Flags(bytes[33].into()),
        sequence: packet.header.seq,
        acknowledgment: packet.header.ack,
        window: packet.header.window,
        options: options(&bytes[40..end]),
        payload: packet.payload.len() as u32,
        tos: bytes[1],
        ttl: bytes[8],
        ..Packet::default()
    }
}

fn options(mut bytes: &[u8]) -> Vec<TcpOption> {
    let mut found = vec![];
    while let Some((kind, rest)) = bytes.split_first() {
        let long = |at: usize| u32::from_be_bytes(rest[at..at + 4].try_into().unwrap());
        let length = if *kind < 2 { 1 } else { usize::from(rest[0]) };
        found.push(match kind {
            0 => TcpOption::End,
            1 => TcpOption::Nop,
            2 => TcpOption::Mss(u16::from_be_bytes([rest[1], rest[2]])),
            4 => TcpOption::SackPermitted,
            5 => TcpOption::Sack(
                (0..(length - 2) / 8).map(|n| (long(1 + 8 * n), long(5 + 8 * n))).collect(),
            ),
            kind => TcpOption::Other { kind: *kind, body: rest[1..length - 1].to_vec() },
        });
        bytes = &bytes[length..];
    }
    found
}

#[test]
fn a_server_sends_repairs_and_closes() {
    let text = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop>
   +0 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 60000
   +0 accept(3, ..., ...) = 4
   +0 %{ assert tcpi_state == TCP_ESTABLISHED, tcpi_state }%
   +0 write(4, ..., 2000) = 2000
   +0 > P. 1:2001(2000) ack 1
  +.1 < . 1:1(0) ack 2001 win 60000
   +0 < P. 1:1001(1000) ack 2001 win 60000
   +0 read(4, ..., 2000) = 1000
+.090~+.110 > . 2001:2001(0) ack 1001
   +0 write(4, ..., 1000) = 1000
   +0 > P. 2001:3001(1000) ack 1001
   +1 > P. 2001:3001(1000) ack 1001
  +.1 < . 1001:1001(0) ack 3001 win 60000
   +0 close(4) = 0
   +0 > F. 3001:3001(0) ack 1001
  +.1 < F. 1001:1001(0) ack 3002 win 60000
   +0 > . 3002:3002(0) ack 1002";
    passes(text, &mut Live::new());
}

#[test]
fn a_client_connects_while_the_call_blocks() {
    let text = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0...0.010 connect(3, ..., ...) = 0
   +0 > S 0:0(0) <...>
 +.01 < S. 0:0(0) ack 1 win 65535 <mss 1460>
   +0 > . 1:1(0) ack 1
   +0...0.020 read(3, ..., 100) = 100
 +.01 < P. 1:101(100) ack 1 win 65535";
    passes(&format!("--tolerance_usecs=11000\n{text}"), &mut Live::new());
    let wrong = text.replace("+.01 <", "+.2 <");
    let failed = failure(&wrong, &mut Live::new());
    assert!(failed.contains("connect to return at 0.01 s; it returned at 0.2 s"), "{failed}");
}

#[test]
fn a_wrong_expectation_of_the_stack_fails() {
    let text = format!("{CONNECTED}+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 2");
    let text = text.replace("<mss 1460>", "<...>").replace("win 257", "win 60000");
    let failed = failure(&text, &mut Live::new());
    assert!(failed.contains("acknowledgment 1 instead of 2"), "{failed}");
}
