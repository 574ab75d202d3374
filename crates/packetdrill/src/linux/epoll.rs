//! `epoll`: distinguishes descriptors with new events from those that are still ready.
//!
//! A descriptor joins the list of those to look at when it is added or changed, and when its socket wakes
//! a process that waits for one of its events. It leaves the list when a look finds nothing; with
//! `EPOLLET` after every look, and with `EPOLLONESHOT` until it is changed.

use super::wakes::WakeCounts;
use crate::host::Answer;
use crate::symbols as s;
use crate::value::Value;

/// A descriptor that an instance of epoll watches.
#[derive(Debug)]
pub(super) struct WatchedItem {
    pub(super) fd: i64,
    pub(super) events: i64,
    pub(super) data: Value,
    /// True if the descriptor is on the list.
    pub(super) in_ready_list: bool,
    /// True if the descriptor was reported once, and stays silent until it is changed.
    pub(super) oneshot_done: bool,
    pub(super) wakes_reported: WakeCounts,
}

/// An instance of epoll.
#[derive(Debug, Default)]
pub(super) struct Epoll {
    pub(super) items: Vec<WatchedItem>,
}

impl Epoll {
    pub(super) fn remove(&mut self, fd: i64) {
        self.items.retain(|item| item.fd != fd);
    }

    pub(super) fn change_watched(
        &mut self,
        operation: i64,
        fd: i64,
        new: (i64, Value),
        seen: WakeCounts,
    ) -> Answer {
        let at = self.items.iter().position(|item| item.fd == fd);
        let (events, data) = new;
        let item = WatchedItem {
            fd,
            events,
            data,
            in_ready_list: true,
            oneshot_done: false,
            wakes_reported: seen,
        };
        match (operation, at) {
            (s::EPOLL_CTL_ADD, None) => self.items.push(item),
            (s::EPOLL_CTL_MOD, Some(at)) => self.items[at] = item,
            (s::EPOLL_CTL_DEL, Some(at)) => drop(self.items.remove(at)),
            (s::EPOLL_CTL_ADD, Some(_)) => return Answer::from_error(s::EEXIST),
            (s::EPOLL_CTL_MOD | s::EPOLL_CTL_DEL, None) => return Answer::from_error(s::ENOENT),
            _ => return Answer::from_error(s::EINVAL),
        }
        Answer::from_result(0)
    }
}
