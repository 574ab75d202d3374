//! `epoll`: which descriptors have something new, and which only still have it.
//!
//! A descriptor comes onto the list of those that are looked at when it is added or changed, and when its
//! socket wakes those who wait for one of its events. It leaves the list when a look finds nothing; with
//! `EPOLLET` after every look, and with `EPOLLONESHOT` until it is changed.

use super::Linux;
use super::wakes::Wakes;
use crate::host::Answer;
use crate::symbols as s;
use crate::value::Value;

#[derive(Debug)]
struct Item {
    fd: i64,
    events: i64,
    data: Value,
    /// It is on the list.
    listed: bool,
    /// Told once, and silent until it is changed.
    spent: bool,
    seen: Wakes,
}

/// An instance of epoll.
#[derive(Debug, Default)]
pub(super) struct Epoll {
    items: Vec<Item>,
}

impl Epoll {
    pub(super) fn forget(&mut self, fd: i64) {
        self.items.retain(|item| item.fd != fd);
    }

    fn control(&mut self, operation: i64, fd: i64, new: (i64, Value), seen: Wakes) -> Answer {
        let at = self.items.iter().position(|item| item.fd == fd);
        let (events, data) = new;
        let item = Item { fd, events, data, listed: true, spent: false, seen };
        match (operation, at) {
            (s::EPOLL_CTL_ADD, None) => self.items.push(item),
            (s::EPOLL_CTL_MOD, Some(at)) => self.items[at] = item,
            (s::EPOLL_CTL_DEL, Some(at)) => drop(self.items.remove(at)),
            (s::EPOLL_CTL_ADD, Some(_)) => return Answer::error(s::EEXIST),
            (s::EPOLL_CTL_MOD | s::EPOLL_CTL_DEL, None) => return Answer::error(s::ENOENT),
            _ => return Answer::error(s::EINVAL),
        }
        Answer::of(0)
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
            (true, Some(epoll)) => epoll.control(operation, fd, new, seen),
            (true, None) => Answer::error(s::EINVAL),
            _ => Answer::error(s::EBADF),
        }
    }

    /// What has happened, at most `most` descriptors of it; none where nothing has.
    pub(super) fn epoll_look(&mut self, epoll: i64, most: i64) -> Vec<Value> {
        let Some(set) = self.descriptors.epoll(epoll) else { return vec![] };
        let mut items = std::mem::take(&mut set.items);
        let mut told = vec![];
        for item in &mut items {
            let wakes = self.wakes(item.fd);
            item.listed |= wakes.matches(&item.seen, item.events);
            item.seen = wakes;
            if !item.listed || item.spent || told.len() as i64 >= most {
                continue;
            }
            let events = self.look(item.fd, item.events);
            item.listed = events != 0 && item.events & s::EPOLLET == 0;
            item.spent = events != 0 && item.events & s::EPOLLONESHOT != 0;
            if events != 0 {
                let mut fields = vec![("events".to_owned(), Value::Int(events))];
                if let Value::Fields(data) = &item.data {
                    fields.extend(data.iter().cloned());
                }
                told.push(Value::Fields(fields));
            }
        }
        if let Some(set) = self.descriptors.epoll(epoll) {
            set.items = items;
        }
        told
    }
}
