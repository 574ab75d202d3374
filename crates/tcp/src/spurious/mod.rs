//! Spurious timeouts: what finds them out, and what is then done. A [`Guard`] stands before a variant's
//! loss recovery and leaves it alone until a timeout turns out to have been spurious. Without one a
//! sender runs no code from here.

mod detection;
mod eifel;
mod f_rto;
mod response;

use crate::config::SenderConfig;
use crate::recovery::{Choice, Cwnd, Plan, Recovery, Source, Strategy, Variant, View};
use crate::window::Window;
pub use detection::Detection;
use eifel::Eifel;
use f_rto::FRto;
use response::Response;
use serde::Serialize;

/// The window after a genuine timeout for which F-RTO has sent new data, in segments: what slow start
/// would have reached meanwhile [RFC 5682 2.1, step 3a].
const GENUINE: u32 = 3;

/// What a detector makes of an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The variant goes on as it is.
    Nothing,
    /// Two new segments instead of old ones [RFC 5682 2.1, step 2b].
    Probe,
    /// The timeout was genuine, and new data was sent in place of old [RFC 5682 2.1, step 3a].
    Genuine,
    /// The timeout was spurious.
    Spurious,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
enum Detector {
    FRto(FRto),
    Eifel(Eifel),
}

/// A variant's loss recovery, and the watch over its timeouts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guard {
    variant: Variant,
    inner: Recovery,
    detector: Detector,
    response: Response,
    /// The number after the highest sent when loss recovery began: up to there it is not over, and a
    /// timeout begins no new watch [RFC 3522 3.2; RFC 4015 3.2; RFC 5682 2.1 and 3.1, step 1]. Fast
    /// recovery counts as well, for basic F-RTO too.
    recover: u64,
}

/// The loss recovery that `config` asks for; `None` if its source of rules does not define it.
pub(crate) fn recovery(config: &SenderConfig) -> Option<Recovery> {
    let inner = Recovery::new(config.variant, config.source)?;
    let detector = match config.spurious {
        Detection::None => return Some(inner),
        _ if config.source != Source::Rfc || config.variant.probes() => return None,
        Detection::FRto => Detector::FRto(FRto::new(config.variant == Variant::Sack)),
        Detection::Eifel => Detector::Eifel(Eifel::default()),
    };
    let initial_window = u64::from(config.initial_window) * u64::from(config.mss);
    let response = Response::new(initial_window);
    let variant = config.variant;
    Some(Recovery::Guarded(Box::new(Guard { variant, inner, detector, response, recover: 0 })))
}

impl Strategy for Guard {
    // Not inlined: `Recovery`, which calls it, would contain itself and not be inlined either.
    #[inline(never)]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut Plan) {
        self.inner.on_new_ack(view, acked, plan);
        self.watch(view, plan);
        let verdict = self.detector.on_new_ack(view, self.recover);
        self.obey(verdict, view, acked, plan);
    }

    #[inline(never)]
    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        let verdict = self.detector.on_duplicate_ack(view, self.recover);
        // A duplicate that shows the timeout to be genuine asks for no fast retransmit as well; SACK
        // takes its reports.
        if verdict != Verdict::Genuine || self.variant == Variant::Sack {
            self.inner.on_duplicate_ack(view, plan);
            self.watch(view, plan);
        }
        self.obey(verdict, view, 0, plan);
    }

    #[inline(never)]
    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        if view.una >= self.recover {
            self.response.begin(view);
            self.detector.begin(view);
        } else {
            self.detector.again();
        }
        self.recover = view.high;
        self.inner.on_timeout(view, plan);
    }

    #[inline(never)]
    fn choose(&mut self, view: &View) -> Choice {
        if self.detector.probes() { Choice::Window } else { self.inner.choose(view) }
    }
}

impl Guard {
    fn obey(&mut self, verdict: Verdict, view: &View, acked: u64, plan: &mut Plan) {
        match verdict {
            Verdict::Nothing => {}
            Verdict::Probe => {
                // The window is two segments; what is not sent again lies beside it.
                plan.forward = true;
                plan.inflate = Some(view.high - view.una);
            }
            Verdict::Genuine => {
                plan.rewind = view.una < self.recover;
                plan.grow = false;
                plan.cwnd = Some(Cwnd::Exactly(Window::packets(GENUINE * view.mss)));
                plan.inflate = Some(0);
            }
            Verdict::Spurious => {
                self.recover = view.una;
                self.inner.undo(view);
                self.response.apply(view, acked, plan);
            }
        }
    }

    /// Whether the variant has begun fast recovery.
    fn watch(&mut self, view: &View, plan: &Plan) {
        if plan.fast_retransmit {
            self.recover = view.high;
            self.detector.stop();
        }
    }
}

impl Detector {
    fn begin(&mut self, view: &View) {
        match self {
            Detector::FRto(detector) => detector.begin(view),
            Detector::Eifel(detector) => detector.begin(view),
        }
    }

    /// The timer expires while a watch may be under way.
    fn again(&mut self) {
        match self {
            Detector::FRto(detector) => detector.again(),
            Detector::Eifel(_) => {} // `RetransmitTS` is that of the first retransmission.
        }
    }

    fn stop(&mut self) {
        match self {
            Detector::FRto(detector) => detector.stop(),
            Detector::Eifel(detector) => detector.stop(),
        }
    }

    fn on_new_ack(&mut self, view: &View, recover: u64) -> Verdict {
        match self {
            Detector::FRto(detector) => detector.on_new_ack(view, recover),
            Detector::Eifel(detector) => detector.on_new_ack(view),
        }
    }

    fn on_duplicate_ack(&mut self, view: &View, recover: u64) -> Verdict {
        match self {
            Detector::FRto(detector) => detector.on_duplicate_ack(view, recover),
            Detector::Eifel(_) => Verdict::Nothing,
        }
    }

    fn probes(&self) -> bool {
        matches!(self, Detector::FRto(detector) if detector.probes())
    }
}
