//! The states of a connection, and the ways in which it ends.

/// The states of a connection [RFC 9293 3.3.2]. LISTEN is a state of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// This end has sent a SYN.
    SynSent,
    /// This end has sent a SYN and received one.
    SynReceived,
    /// Data flows.
    Established,
    /// This end has closed.
    FinWait1,
    /// This end has closed, and the other end has acknowledged it.
    FinWait2,
    /// The other end has closed.
    CloseWait,
    /// Both ends have closed at the same time.
    Closing,
    /// The other end has closed first, then this end.
    LastAck,
    /// Both ends have closed; the connection waits for late packets.
    TimeWait,
    /// There is no connection.
    Closed,
}

/// Reason for the end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Both ends have closed it, and all data is acknowledged.
    Finished,
    /// No listener at the other end.
    Refused,
    /// The other end has reset the connection.
    Reset,
    /// The other end has been silent for too long.
    TimedOut,
    /// This end has aborted the connection.
    Aborted,
}
