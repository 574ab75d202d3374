//! Finds the sockets that an input wakes, and the events that epoll reports of them.

use super::Linux;
use super::wakes::WakeCounts;
use crate::host::Answer;
use crate::symbols as s;
use crate::value::Value;
use airtcp_linux::TimeInUnits;

impl Linux {
    pub(super) fn wakes(&self, fd: i64) -> WakeCounts {
        self.observed.get(&fd).map_or(WakeCounts::default(), |seen| seen.wakes)
    }

    /// Records which sockets an input has changed.
    pub(super) fn observe(&mut self, now: TimeInUnits) {
        for (fd, id) in self.descriptors.sockets() {
            let seen = self.observed.entry(fd).or_default();
            if let Some(connection) = self.host.connection(id) {
                seen.observe_connection(connection);
                if let Some(reports) = self.error_queues.get_mut(&fd)
                    && reports.advance(connection.sender(), super::script_time(now.instant))
                {
                    seen.count_error_wake();
                }
            } else {
                let ready = self.host.accept_queue_len(id);
                seen.wakes.input += u64::from(ready > seen.ready);
                seen.ready = ready;
            }
        }
    }
}

impl Linux {
    pub(super) fn epoll_control(
        &mut self,
        epoll: i64,
        operation: i64,
        fd: i64,
        new: (i64, Value),
    ) -> Answer {
        let seen = self.wakes(fd);
        match (self.descriptors.get(fd).is_some(), self.descriptors.epoll(epoll)) {
            (true, Some(epoll)) => epoll.change_watched(operation, fd, new, seen),
            (true, None) => Answer::from_error(s::EINVAL),
            _ => Answer::from_error(s::EBADF),
        }
    }

    /// The events of at most `most` descriptors; none if nothing has happened.
    pub(super) fn epoll_ready(&mut self, epoll: i64, most: i64) -> Vec<Value> {
        let Some(set) = self.descriptors.epoll(epoll) else { return vec![] };
        let mut items = std::mem::take(&mut set.items);
        let mut reported = vec![];
        for item in &mut items {
            let wakes = self.wakes(item.fd);
            item.in_ready_list |= wakes.has_new(&item.wakes_reported, item.events);
            item.wakes_reported = wakes;
            if !item.in_ready_list || item.oneshot_done || reported.len() as i64 >= most {
                continue;
            }
            let events = self.poll_events(item.fd, item.events);
            item.in_ready_list = events != 0 && item.events & s::EPOLLET == 0;
            item.oneshot_done = events != 0 && item.events & s::EPOLLONESHOT != 0;
            if events != 0 {
                let mut fields = vec![("events".to_owned(), Value::Int(events))];
                if let Value::Fields(data) = &item.data {
                    fields.extend(data.iter().cloned());
                }
                reported.push(Value::Fields(fields));
            }
        }
        if let Some(set) = self.descriptors.epoll(epoll) {
            set.items = items;
        }
        reported
    }
}
