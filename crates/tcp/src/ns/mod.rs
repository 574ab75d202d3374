//! Settings and state of a sender that follows ns, and that no other sender has.

mod marks;
mod settings;

pub use settings::NsSettings;

use airtcp_core::Ecn;
use marks::Marks;
use serde::Serialize;

/// Settings and state by the rules of ns alone [ns 2.35, tcp.cc].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Ns {
    pub(crate) settings: NsSettings,
    pub(crate) marks: Marks,
    /// Window in packets once the connection is set up.
    window_init: u32,
    /// Length of the first packet on the air, where that is a SYN.
    syn_bits: Option<u64>,
}

impl Ns {
    pub(crate) fn new(settings: NsSettings, syn_bits: Option<u64>) -> Self {
        let window_init = settings.window_init;
        Ns { settings, marks: Marks::default(), window_init, syn_bits }
    }

    /// The retransmission timer expired with `una` the first packet not acknowledged: a SYN that was lost lets the
    /// window begin with 1.
    pub(crate) fn on_timeout(&mut self, una: u64) {
        if una == 0 && self.settings.bugfix_ss {
            self.window_init = 1;
        }
    }

    /// The window in packets that the ACK of the first packet opens, if it does.
    pub(crate) fn window_after_first_ack(&self, ack: u64) -> Option<u32> {
        (ack == 1 && self.settings.delay_growth).then_some(self.window_init)
    }

    /// A plan is carried out, which may reduce the window; the most packets that the window lets leave then.
    #[inline]
    pub(crate) fn burst_limit(&mut self, reduces: bool) -> u32 {
        self.marks.cwr_pending |= reduces;
        self.settings.burst()
    }

    /// Length on the air of the packet at `seq`, which has `bits` unless it is a SYN.
    #[inline]
    pub(crate) fn packet_bits(&self, seq: u64, bits: u64) -> u64 {
        self.syn_bits.filter(|_| seq == 0).unwrap_or(bits)
    }

    /// ECN field of the packet at `seq`, new or a retransmission, and whether it carries CWR.
    #[inline]
    pub(crate) fn packet_marks(&mut self, seq: u64, is_retransmission: bool) -> (Ecn, bool) {
        if !self.settings.ecn {
            return (Ecn::NotEct, false);
        }
        self.marks.marks_of_packet(seq, is_retransmission, &self.settings)
    }
}
