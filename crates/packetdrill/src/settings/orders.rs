//! What commands set and ask.

/// The discipline of the queue before the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queue {
    /// That of the system.
    Default,
    /// First in, first out; a limit of no packets makes every send fail.
    Fifo {
        /// Most packets.
        limit: Option<u64>,
    },
    /// Fair queueing, which paces as the sockets ask for.
    Fq,
}

/// One thing that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// `net.ipv4.tcp_ecn` and its value.
    Sysctl(String, String),
    /// A module, its parameter and the value.
    Module(String, String, String),
    /// The queue before the device.
    Queue(Queue),
    /// An attribute of the route to the other end: `initcwnd`, `quickack`, `mtu`, `rto_min`, ….
    Route(String, String),
    /// The MTU of the device.
    Mtu(u32),
    /// What the device splits or joins: `tso`, `gso`, `gro`.
    Offload(String, bool),
    /// What was known of earlier connections is forgotten.
    ForgetMetrics,
}

/// The number of listening sockets, asked for as a counter.
pub(crate) const LISTENING: &str = "listening";

/// A question about a counter of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The counter; none where counting only begins anew.
    pub(crate) counter: Option<String>,
    /// How much it should have counted; none: anything.
    pub(crate) wanted: Option<u64>,
    /// Whether counting begins anew afterwards.
    pub(crate) anew: bool,
}

/// What a command of a script says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    pub(crate) changes: Vec<Change>,
    pub(crate) questions: Vec<Question>,
}
