//! Arming and expiry of the timer [rules/timers.md rules 6, 7, 9].

use super::Sender;
use super::timer::TimerPurpose;
use crate::clock::{TICK, TICK_US, TimeInUnits, us_to_jiffies};
use airtcp_core::Instant;

impl Sender {
    /// Expiry of the next timer; `Instant::NEVER` if none runs.
    #[must_use]
    #[inline]
    pub fn next_timer(&self) -> Instant {
        self.timer.at.min(self.pacing_timer)
    }

    /// Lets timers expire that are due.
    pub fn on_timer(&mut self, now: TimeInUnits) {
        if self.pacing_timer <= now.instant {
            self.pacing_timer = Instant::NEVER;
            self.on_pacing_timer(now);
        }
        if self.timer.at > now.instant {
            return;
        }
        self.timer.at = Instant::NEVER;
        self.timer.tick_processed = true;
        self.on_expiry(now);
        self.timer.tick_processed = false;
    }

    fn on_expiry(&mut self, now: TimeInUnits) {
        match self.timer.purpose {
            TimerPurpose::Empty => {}
            slot if self.timer.expiry > now.jiffies => {
                self.arm(now, slot, self.timer.expiry - now.jiffies);
            }
            TimerPurpose::Rto => {
                self.clear_timer();
                self.on_rto(now);
            }
            TimerPurpose::Persist => {
                self.clear_timer();
                self.on_persist_timer(now);
            }
            TimerPurpose::Probe => self.on_probe_timer(now),
            TimerPurpose::Reordering => self.on_reordering_timer(now),
        }
    }

    /// Arms the timer for `slot` in `delay` jiffies, replacing its former purpose.
    #[inline]
    pub(super) fn arm(&mut self, now: TimeInUnits, slot: TimerPurpose, delay: u64) {
        let expiry = now.jiffies + delay.min(self.rtt.rto_max);
        let timer = &mut self.timer;
        timer.purpose = slot;
        // A timer that is pending for this jiffy stays in its bucket [rules/timers.md rule 4].
        if timer.at == Instant::NEVER || timer.expiry != expiry {
            (timer.armed, timer.expiry) = (now.jiffies, expiry);
            let clk = now.jiffies + u64::from(timer.tick_processed);
            timer.at = self.clock.timer_fires_at(clk, expiry.max(clk));
        }
    }

    /// Arms the timer where it is known that it was armed for another jiffy before, in this event.
    #[inline]
    pub(super) fn arm_again(&mut self, now: TimeInUnits, slot: TimerPurpose, delay: u64) {
        let expiry = now.jiffies + delay.min(self.rtt.rto_max);
        self.timer.purpose = slot;
        (self.timer.armed, self.timer.expiry) = (now.jiffies, expiry);
        self.timer.at = self.clock.timer_fires_at(now.jiffies, expiry);
    }

    #[inline]
    pub(super) fn clear_timer(&mut self) {
        self.timer.purpose = TimerPurpose::Empty;
        self.timer.at = Instant::NEVER;
    }

    /// Jiffies until pacing lets anything go, truncated [rules/timers.md rule 7].
    #[inline]
    pub(super) fn pacing_delay(&self, now: TimeInUnits) -> u64 {
        let wait = self.departure - now.instant.nanos();
        if wait < TICK { 0 } else { (wait / TICK) as u64 }
    }

    /// [rules/timers.md rule 9]
    #[inline]
    pub(super) fn rearm_rto(&mut self, now: TimeInUnits) {
        let Some(head) = self.queue.first() else { return self.clear_timer() };
        let mut delay = self.rtt.rto;
        if matches!(self.timer.purpose, TimerPurpose::Probe | TimerPurpose::Reordering) {
            let due = head.sent_us() + delay * TICK_US;
            delay = us_to_jiffies(due.saturating_sub(now.us).max(1));
        }
        self.arm(now, TimerPurpose::Rto, delay + self.pacing_delay(now));
    }

    /// A probe if it can be, else the RTO [rules/recovery.md rule 10].
    #[inline]
    pub(super) fn set_timer(&mut self, now: TimeInUnits) {
        if !self.schedule_probe(now, true) {
            self.rearm_rto(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TimerPurpose;
    use crate::clock::TICK;
    use crate::sender::tests::rig::Rig;

    /// rules/timers.md rule 4: a bucket of 8 jiffies stays for the same jiffy and is left for another one.
    #[test]
    fn a_timer_that_keeps_its_jiffy_keeps_its_bucket() {
        let mut rig = Rig::new(50_000);
        rig.s.arm(rig.now(), TimerPurpose::Rto, 70);
        let far = rig.s.timer.at;
        rig.time += 20 * TICK;
        rig.s.arm(rig.now(), TimerPurpose::Probe, 50);
        assert_eq!(rig.s.timer.at, far);
        rig.s.arm(rig.now(), TimerPurpose::Probe, 51);
        assert_eq!(rig.s.timer.at, rig.clock.jiffy_start(rig.now().jiffies + 52));
        assert!(far != rig.clock.jiffy_start(rig.now().jiffies + 51), "the bucket shows");
    }
}
