//! Settings and questions of a command.

/// The discipline of the queue before the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queue {
    /// The discipline of the system.
    Default,
    /// First in, first out; a limit of no packets makes every send fail.
    Fifo {
        /// Limit on the packets in the queue.
        limit: Option<u64>,
    },
    /// Fair queueing, which paces as the sockets ask for.
    Fq,
}

/// A change of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingChange {
    /// The name of a sysctl, such as `net.ipv4.tcp_ecn`, and its value.
    Sysctl(String, String),
    /// A module, its parameter and the value.
    Module(String, String, String),
    /// The queue before the device.
    Queue(Queue),
    /// An attribute of the route to the other end: `initcwnd`, `quickack`, `mtu`, `rto_min`, ….
    Route(String, String),
    /// The MTU of the device.
    Mtu(u32),
    /// An offload of the device, which splits or joins segments: `tso`, `gso`, `gro`.
    Offload(String, bool),
    /// The host forgets its metrics of earlier connections.
    ForgetMetrics,
}

/// The number of listening sockets, asked for as a counter.
pub(crate) const LISTENING: &str = "listening";

/// A question about a counter of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CounterQuestion {
    /// The counter; `None` if the command only restarts the counting.
    pub(crate) counter: Option<String>,
    /// The expected count; `None`: any.
    pub(crate) expected: Option<u64>,
    /// True if the counting restarts afterwards.
    pub(crate) restarts_count: bool,
}

/// The orders in a command of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandOrders {
    pub(crate) changes: Vec<SettingChange>,
    pub(crate) questions: Vec<CounterQuestion>,
}
