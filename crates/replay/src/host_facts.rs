//! The description that a capture carries: the comment that `scripts/captures.py` writes.

use serde_json::Value;

/// The sender's host, its socket and its application, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Congestion control.
    pub control: Option<String>,
    /// CLOCK_REALTIME, which packets have, less CLOCK_MONOTONIC, which the kernel counts in, in ns.
    pub monotonic_offset: Option<i64>,
    /// A time of CLOCK_MONOTONIC in ns, and the number of the jiffy that begins then.
    pub jiffy_start: Option<(i64, u64)>,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// `SO_SNDBUF`, where it was set.
    pub sndbuf: Option<u64>,
    /// Settings by name.
    pub sysctl: Vec<(String, String)>,
    /// Begin and end of each write in ns of CLOCK_MONOTONIC, and its bytes.
    pub writes: Vec<(i64, i64, u64)>,
    /// Time at which the application closed its sending direction.
    pub shutdown: Option<i64>,
}

/// Most writes.
const MAX_WRITES: usize = 1_000_000;

impl HostFacts {
    /// Reads a comment; `None` if it is incomplete or has another format.
    #[must_use]
    pub fn parse(comment: &[u8]) -> Option<HostFacts> {
        let record: Value = serde_json::from_slice(comment).ok()?;
        record.get("airtcp-capture")?.as_u64().filter(|&version| version == 1)?;
        let pair = |value: &Value| Some((value.get(0)?.as_i64()?, value.get(1)?.as_u64()?));
        let write = |value: &Value| {
            Some((value.get(0)?.as_i64()?, value.get(1)?.as_i64()?, value.get(2)?.as_u64()?))
        };
        let writes = record.get("writes")?.as_array().filter(|all| all.len() <= MAX_WRITES)?;
        let socket = record.get("sockopt")?;
        let sndbuf = socket.get("sndbuf").and_then(Value::as_u64);
        let is_set = socket.get("sndbuf_set").and_then(Value::as_u64) == Some(1);
        let sysctl = record.get("sysctl")?.as_object()?;
        let text = |(name, value): (&String, &Value)| {
            Some((name.clone(), value.as_str().filter(|text| !text.is_empty())?.to_owned()))
        };
        Some(HostFacts {
            control: record.get("control").and_then(Value::as_str).map(str::to_owned),
            monotonic_offset: record.get("monotonic").and_then(Value::as_i64),
            jiffy_start: record.get("jiffy").and_then(pair),
            nodelay: socket.get("nodelay").and_then(Value::as_u64) == Some(1),
            sndbuf: sndbuf.filter(|_| is_set),
            sysctl: sysctl.iter().filter_map(text).collect(),
            writes: writes.iter().map(write).collect::<Option<_>>()?,
            shutdown: record.get("shutdown").and_then(Value::as_i64).filter(|&at| at > 0),
        })
    }
}
