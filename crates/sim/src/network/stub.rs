use airtcp_core::{Instant, Next, Payload, Rate, Span, Stage, airtime};
use std::collections::VecDeque;
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    Queue,
    Channel,
    Gate,
    Forced,
    Vanished,
}
pub struct Lost<P> {
    pub at: Instant,
    pub payload: P,
    pub cause: Cause,
}
pub struct HopConfig {
    pub rate: Rate,
    pub delay: Span,
    pub delays: Vec<(Instant, Span)>,
    pub queue: usize,
    pub toggles: Vec<Instant>,
    pub drop: Vec<(u64, u32)>,
}
pub struct Hop<P> {
    c: HopConfig,
    busy: Instant,
    last: Instant,
    q: VecDeque<(Instant, Instant, P)>,
    drops: Vec<(u64, u32, u32)>,
    lost: VecDeque<Lost<P>>,
    t: usize,
}
impl<P: Payload + Copy> Hop<P> {
    pub fn new(c: HopConfig) -> Self {
        let drops = c.drop.iter().map(|d| (d.0, d.1, 0)).collect();
        Hop {
            c,
            busy: Instant::START,
            last: Instant::START,
            q: VecDeque::new(),
            drops,
            lost: VecDeque::new(),
            t: 0,
        }
    }
    pub fn record_losses(&mut self, _: bool) {}
    pub fn take_lost(&mut self) -> Option<Lost<P>> {
        self.lost.pop_front()
    }
    fn edges(&mut self, now: Instant) {
        while self.t < self.c.toggles.len() && self.c.toggles[self.t] <= now {
            let at = self.c.toggles[self.t];
            if self.t % 2 == 0 {
                let mut busy = at;
                for (start, _, p) in self.q.drain(..) {
                    if start <= at {
                        busy = busy.max(start + airtime(p.bits(), self.c.rate));
                    }
                    self.lost.push_back(Lost { at, payload: p, cause: Cause::Gate });
                }
                if self.busy > busy {
                    self.busy = busy;
                }
            }
            self.t += 1;
        }
    }
    pub fn due(&self) -> (Instant, Instant) {
        match self.q.front() {
            None => (Instant::NEVER, Instant::NEVER),
            Some(&(s, a, _)) => {
                if let Some(&e) = self.c.toggles.get(self.t + self.t % 2) {
                    if e <= a {
                        return (e, Instant::START);
                    }
                }
                (a, s)
            }
        }
    }
}
impl<P: Payload + Copy> Stage<P> for Hop<P> {
    fn push(&mut self, now: Instant, p: P) {
        self.edges(now);
        if self.t % 2 == 1 {
            return;
        }
        let waiting = self.q.iter().filter(|x| x.0 > now).count();
        if self.busy > now && waiting + 1 >= self.c.queue {
            self.lost.push_back(Lost { at: now, payload: p, cause: Cause::Queue });
            return;
        }
        let start = now.max(self.busy);
        let tx = airtime(p.bits(), self.c.rate);
        self.busy = start + tx;
        let delay = self.c.delays.iter().rev().find(|d| d.0 <= start).map_or(self.c.delay, |d| d.1);
        let a = if start + tx + delay < self.last { self.last + tx } else { start + tx + delay };
        self.last = a;
        self.q.push_back((start, a, p));
    }
    fn poll(&mut self, now: Instant) -> Next<P> {
        self.edges(now);
        while let Some(&(_, a, p)) = self.q.front() {
            if a > now {
                return Next::Wait(a);
            }
            self.q.pop_front();
            if let Some(n) = p.number() {
                let mut hit = false;
                for d in &mut self.drops {
                    if d.0 == n {
                        d.2 += 1;
                        if d.1 == d.2 {
                            hit = true;
                        }
                    }
                }
                if hit {
                    self.lost.push_back(Lost { at: a, payload: p, cause: Cause::Forced });
                    continue;
                }
            }
            return Next::Out(p);
        }
        Next::Idle
    }
}
