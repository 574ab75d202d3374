//! Socket options stored with the descriptor, and keepalive options.

use super::Linux;
use crate::host::Answer;
use crate::symbols as s;
use crate::value::Value;
use airtcp_linux::TimeInUnits;
use airtcp_linux::host::Id;

/// Seconds that `TCP_KEEPIDLE` and `TCP_KEEPINTVL` accept, and numbers that `TCP_KEEPCNT` accepts.
const SECONDS: std::ops::RangeInclusive<i64> = 1..=32_767;
const COUNTS: std::ops::RangeInclusive<i64> = 1..=127;

impl Linux {
    pub(super) fn set_descriptor_option(
        &mut self,
        now: TimeInUnits,
        fd: i64,
        id: Id,
        at: (i64, i64),
        number: i64,
    ) -> Answer {
        let Some(file) = self.descriptors.get_mut(fd) else { return Answer::from_error(s::EBADF) };
        let on = number != 0;
        match at {
            (s::SOL_TCP, s::TCP_INQ) if !(0..=1).contains(&number) => {
                return Answer::from_error(s::EINVAL);
            }
            (s::SOL_TCP, s::TCP_INQ) => file.returns_inq = on,
            (s::SOL_SOCKET, s::SO_RCVLOWAT) => file.low_water_mark = number.max(1) as u64,
            (s::SOL_SOCKET, s::SO_ZEROCOPY) => {
                self.error_queues.entry(fd).or_default().zerocopy = on;
            }
            (s::SOL_SOCKET, s::SO_TIMESTAMPING) => {
                let una = self.host.connection(id).map_or(1, |c| c.sender().una());
                self.error_queues.entry(fd).or_default().enable_timestamps(number, una);
            }
            (s::SOL_TCP, s::TCP_FASTOPEN_CONNECT) => file.fast_open_connect = on,
            (s::SOL_TCP, s::TCP_FASTOPEN) if number < 0 => return Answer::from_error(s::EINVAL),
            (s::SOL_TCP, s::TCP_FASTOPEN) => {
                self.host.set_options(now, id, |o| o.fast_open_queue = Some(number as u64));
            }
            (s::SOL_TCP, s::TCP_FASTOPEN_NO_COOKIE) => {
                self.host.set_options(now, id, |o| o.no_cookie = on);
            }
            (s::SOL_IP, s::IP_LOCAL_PORT_RANGE) => {
                let (first, last) = (number as u16, (number >> 16) as u16);
                if first > last {
                    return Answer::from_error(s::EINVAL);
                }
                let range = (last > 0).then_some((first.max(1), last));
                self.host.set_options(now, id, |o| o.port_range = range);
            }
            (s::SOL_SOCKET, s::SO_KEEPALIVE) => {
                self.host.set_options(now, id, |o| o.keepalive.on = on);
            }
            (s::SOL_TCP, s::TCP_KEEPIDLE) if SECONDS.contains(&number) => {
                self.host.set_options(now, id, |o| o.keepalive.idle = Some(number as u64));
            }
            (s::SOL_TCP, s::TCP_KEEPINTVL) if SECONDS.contains(&number) => {
                self.host.set_options(now, id, |o| o.keepalive.interval = Some(number as u64));
            }
            (s::SOL_TCP, s::TCP_KEEPCNT) if COUNTS.contains(&number) => {
                self.host.set_options(now, id, |o| o.keepalive.probes = Some(number as u64));
            }
            (s::SOL_TCP, s::TCP_KEEPIDLE | s::TCP_KEEPINTVL | s::TCP_KEEPCNT) => {
                return Answer::from_error(s::EINVAL);
            }
            _ => return Answer::from_error(s::ENOPROTOOPT),
        }
        Answer::from_result(0)
    }

    pub(super) fn get_descriptor_option(&mut self, fd: i64, id: Id, at: (i64, i64)) -> Answer {
        let Some(file) = self.descriptors.get(fd) else { return Answer::from_error(s::EBADF) };
        let sysctl = self.host.environment().sysctl.clone();
        let Some(keepalive) = self.host.options(id).map(|options| options.keepalive) else {
            return Answer::from_error(s::EBADF);
        };
        let number = match at {
            (s::SOL_TCP, s::TCP_INQ) => i64::from(file.returns_inq),
            (s::SOL_SOCKET, s::SO_RCVLOWAT) => file.low_water_mark as i64,
            (s::SOL_SOCKET, s::SO_ZEROCOPY) => {
                i64::from(self.error_queues.get(&fd).is_some_and(|reports| reports.zerocopy))
            }
            (s::SOL_SOCKET, s::SO_KEEPALIVE) => i64::from(keepalive.on),
            (s::SOL_TCP, s::TCP_KEEPIDLE) => keepalive.idle(&sysctl) as i64,
            (s::SOL_TCP, s::TCP_KEEPINTVL) => keepalive.interval(&sysctl) as i64,
            (s::SOL_TCP, s::TCP_KEEPCNT) => keepalive.probes(&sysctl) as i64,
            _ => return Answer::from_error(s::ENOPROTOOPT),
        };
        Answer { output: Value::List(vec![Value::Int(number)]), ..Answer::from_result(0) }
    }
}
