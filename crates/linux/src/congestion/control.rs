//! The controls that exist.

use airtcp_core::Stream;

use super::{
    Bbr, Bbr3, BbrInfo, CaState, Cubic, Event, LostPacket, Module, RateSample, Reno, TcpSock,
    VariableSink, Window,
};

/// Declares the controls: the enum, their names, and the module of each.
macro_rules! controls {
    ($d:tt of_kernel: $( $(#[doc = $doc:literal])+ $name:literal => $module:ident; )+
        by_draft: $( $(#[doc = $draft_doc:literal])+ $draft:literal => $draft_module:ident; )+) => {
        controls! { $d
            $( $(#[doc = $doc])+ $name => $module; )+
            $( $(#[doc = $draft_doc])+ $draft => $draft_module; )+
        }

        /// Names of controls of the kernel whose rules [rules/README.md] has: its scripts, captures and
        /// `tcp_congestion_control` can give them.
        pub const KERNEL_NAMES: &[&str] = &[$( $name, )+];

        /// Names of controls of drafts, which no kernel can judge.
        pub const DRAFT_NAMES: &[&str] = &[$( $draft, )+];
    };
    ($d:tt $( $(#[doc = $doc:literal])+ $name:literal => $module:ident; )+) => {
        /// A congestion control with its state in one connection.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant)] // There is one per connection.
        pub enum Control {
            $( $(#[doc = $doc])+ $module($module), )+
        }

        /// Names that a scenario can give.
        pub const NAMES: &[&str] = &[$( $name, )+];

        impl Control {
            /// The control of this name, before [`Control::init`].
            #[must_use]
            pub fn named(name: &str) -> Option<Control> {
                match name {
                    $( $name => Some(Control::$module($module::default())), )+
                    _ => None,
                }
            }

            /// Name of the control.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $( Control::$module(_) => $name, )+ }
            }

        }

        /// Calls a method of the active module by a branch and not through a pointer, so that per-packet methods are
        /// inlined.
        macro_rules! module {
            ($control:expr, $method:ident($d($argument:expr),*)) => {
                match $control { $( Control::$module(module) => module.$method($d($argument),*), )+ }
            };
        }
    };
}

controls! {
    $
    of_kernel:
    /// Reno [rules/cubic.md A].
    "reno" => Reno;
    /// CUBIC with HyStart [rules/cubic.md B].
    "cubic" => Cubic;
    /// BBR, version 1 [rules/bbr.md].
    "bbr" => Bbr;
    by_draft:
    /// BBR, version 3, by the draft [rules/bbr3.md].
    "bbr3" => Bbr3;
}

/// The callbacks, as [`Module`] explains them.
impl Control {
    /// Sets the control up at establishment.
    pub fn init(&mut self, f: &TcpSock, w: &mut Window) {
        module!(self, init(f, w));
    }

    /// ssthresh as a reduction begins.
    pub fn ssthresh(&mut self, f: &TcpSock, w: &mut Window) -> u32 {
        module!(self, ssthresh(f, w))
    }

    /// cwnd after a needless reduction.
    pub fn undo_cwnd(&mut self, f: &TcpSock, w: &mut Window) -> u32 {
        module!(self, undo_cwnd(f, w))
    }

    /// Growth by an ACK for `acked` packets.
    #[inline]
    pub fn cong_avoid(&mut self, f: &TcpSock, w: &mut Window, acked: u32) {
        module!(self, cong_avoid(f, w, acked));
    }

    /// Gives the module a rate sample. True: it did everything, and neither PRR nor growth nor the
    /// usual pacing rate apply.
    pub fn cong_control(&mut self, f: &TcpSock, w: &mut Window, s: &RateSample) -> bool {
        module!(self, cong_control(f, w, s));
        self.has_cong_control()
    }

    /// Returns whether the module does everything in [`Control::cong_control`].
    #[must_use]
    pub fn has_cong_control(&self) -> bool {
        module!(self, has_cong_control())
    }

    /// A sample of the round trip.
    #[inline]
    pub fn pkts_acked(&mut self, f: &TcpSock, w: &mut Window, rtt_us: i64) {
        module!(self, pkts_acked(f, w, rtt_us));
    }

    /// Returns whether the module wants to hear of every packet that is marked lost.
    #[must_use]
    pub fn wants_packet_lost(&self) -> bool {
        module!(self, wants_packet_lost())
    }

    /// A packet was marked lost.
    #[cold]
    pub fn packet_lost(&mut self, f: &TcpSock, w: &mut Window, lost: &LostPacket) {
        module!(self, packet_lost(f, w, lost));
    }

    /// The state of recovery becomes `state`, also where it was that already.
    pub fn set_state(&mut self, f: &TcpSock, w: &mut Window, state: CaState) {
        module!(self, set_state(f, w, state));
    }

    /// Something else happened.
    pub fn event(&mut self, f: &TcpSock, w: &mut Window, event: Event) {
        module!(self, event(f, w, event));
    }

    /// Packets of a burst, at least; `None`: `tcp_min_tso_segs`.
    #[must_use]
    pub fn min_tso_segs(&self, w: &Window) -> Option<u32> {
        module!(self, min_tso_segs(w))
    }

    /// cwnd in the send buffer, as a multiple.
    #[must_use]
    pub fn sndbuf_factor(&self) -> u32 {
        module!(self, sndbuf_factor())
    }

    /// Returns whether the module wants its packets paced.
    #[must_use]
    pub fn requires_pacing(&self) -> bool {
        module!(self, requires_pacing())
    }

    /// Sets the random stream of the module, named for the connection.
    pub fn set_random(&mut self, random: Stream) {
        module!(self, set_random(random));
    }

    /// Makes BBR enter its cycle of gains in phase `index`, as a recorded connection did; `None`: by
    /// chance again.
    pub fn force_phase(&mut self, index: Option<u32>) {
        module!(self, force_phase(index));
    }

    /// Scales BBR's bandwidth estimate by `percent`, and moves its gain cycle to `index` if in `PROBE_BW`.
    pub fn force_cycle(&mut self, percent: u32, index: Option<u32>) {
        module!(self, force_cycle(percent, index));
    }

    /// State of BBR as `TCP_CC_INFO` shows it.
    #[must_use]
    pub fn bbr_info(&self, f: &TcpSock) -> Option<BbrInfo> {
        module!(self, bbr_info(f))
    }

    /// Shows the variables of the module by name.
    pub fn show(&self, show: VariableSink) {
        module!(self, show_variables(show));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_has_its_name() {
        for name in NAMES {
            assert_eq!(Control::named(name).unwrap().name(), *name);
        }
        assert!(Control::named("vegas").is_none());
        assert_eq!([KERNEL_NAMES, DRAFT_NAMES].concat(), NAMES);
    }
}
