//! Where a connection stands, and how it ended.

/// The states of a connection [RFC 9293 3.3.2]. LISTEN belongs to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A SYN was sent.
    SynSent,
    /// A SYN was sent, and one received.
    SynReceived,
    /// Data flows.
    Established,
    /// This end has closed.
    FinWait1,
    /// This end has closed, and the other knows.
    FinWait2,
    /// The other end has closed.
    CloseWait,
    /// Both have closed at the same time.
    Closing,
    /// The other end has closed first, this one as well.
    LastAck,
    /// Both have closed; late packets are waited for.
    TimeWait,
    /// There is no connection.
    Closed,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Both ends have closed it, and all data is acknowledged.
    Finished,
    /// Nobody listens there.
    Refused,
    /// The other end has reset it.
    Reset,
    /// The other end is silent.
    TimedOut,
    /// This end has given it up.
    Aborted,
}
