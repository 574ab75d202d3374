//! States of a connection.

/// The state [RFC 9293 3.3.2]; a listening socket is the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// SYN sent.
    SynSent,
    /// SYN received and answered.
    SynReceived,
    /// Both directions are open.
    Established,
    /// FIN sent, not yet acknowledged.
    FinWait1,
    /// FIN sent and acknowledged.
    FinWait2,
    /// The other end sent a FIN.
    CloseWait,
    /// FINs sent and received, own FIN not yet acknowledged.
    Closing,
    /// The other end sent a FIN, and the own FIN is sent but not yet acknowledged.
    LastAck,
    /// Both directions are closed; late segments are answered.
    TimeWait,
    /// There is no connection.
    #[default]
    Closed,
}

impl State {
    /// The number of Linux.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            State::Established => 1,
            State::SynSent => 2,
            State::SynReceived => 3,
            State::FinWait1 => 4,
            State::FinWait2 => 5,
            State::TimeWait => 6,
            State::Closed => 7,
            State::CloseWait => 8,
            State::LastAck => 9,
            State::Closing => 11,
        }
    }

    /// Returns whether the application may still send.
    #[must_use]
    pub const fn can_send(self) -> bool {
        matches!(self, State::Established | State::CloseWait)
    }

    /// Returns whether data of the other end are still taken.
    #[must_use]
    pub const fn can_receive(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::FinWait2)
    }
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The other end reset it.
    Reset,
    /// The other end refused the SYN.
    Refused,
    /// The other end was silent for too long.
    TimedOut,
    /// The other end reset it after its own FIN.
    Broken,
}
