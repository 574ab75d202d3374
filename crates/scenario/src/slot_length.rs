//! Checks of the length of slots, a whole number of nanoseconds: a link that is too fast for that is refused.

use crate::arq::transmitted_size;
use crate::hop::{EffectiveDirection, HopSpec};
use crate::input_error::InputError;
use crate::path::PathScenario;
use crate::profile::PathTcp;
use airtcp_core::{MAX_ROUNDING_ERROR, Rate, Size, airtime, relative_rounding_error};
use airtcp_radio::ChannelSpec;
use airtcp_radio::channel::Spec as _;

/// Refuses slots in which `bits` bits are sent at `rate` if rounding to nanoseconds changes their length too much;
/// `remedy` is advice that ends the message.
pub(crate) fn check_slot(
    bits: u64,
    rate: Rate,
    place: &str,
    remedy: &str,
) -> Result<(), InputError> {
    let off = relative_rounding_error(bits, rate);
    if off <= MAX_ROUNDING_ERROR {
        return Ok(());
    }
    let (exact, rounded) = (bits as f64 * 1e9 / rate.bits_per_second(), airtime(bits, rate));
    let message = format!(
        "{rate} is too fast for slots of {bits} bits: {exact:.4} ns are rounded to {} ns, off by {:.1} % (at most {} \
         % is allowed, as in slots of 500 ns); give a lower rate{remedy}",
        rounded.nanos(),
        100.0 * off,
        100.0 * MAX_ROUNDING_ERROR
    );
    Err(InputError::new(place, message))
}

impl PathScenario {
    /// Sizes that fill a slot of data and one of ACKs: a full packet and an ACK of `[tcp]`, whatever the
    /// flows have for themselves.
    pub(crate) fn slot_sizes(&self) -> (Size, Size) {
        let tcp = &self.tcp;
        (tcp.on_the_wire(tcp.packet()), tcp.on_the_wire(tcp.ack_size()))
    }

    /// Refuses full packets of `tcp`, the transport of a flow, that are longer than the slots of a hop.
    pub(crate) fn check_fits(&self, tcp: &PathTcp, place: &str) -> Result<(), InputError> {
        let (slot, _) = self.slot_sizes();
        let packet = tcp.on_the_wire(tcp.packet());
        for (i, hop) in self.path.hop.iter().enumerate().filter(|(_, hop)| hop.slotted) {
            let arq = hop.forward.arq.as_ref();
            let longest = transmitted_size(slot, arq);
            if transmitted_size(packet, arq) > longest {
                let message = format!(
                    "{packet} on the wire do not fit into the slots of path.hop[{i}], which are as long as tcp.packet: \
                     give at most {longest}, or no slotted"
                );
                return Err(InputError::new(place, message));
            }
        }
        Ok(())
    }

    /// Checks the slots of hops, and of channels that count them.
    pub(crate) fn check_slots(&self) -> Result<(), InputError> {
        let (packet, ack) = self.slot_sizes();
        let data_back = self.data_back();
        for (i, hop) in self.path.hop.iter().enumerate() {
            let back = if data_back[i] { packet } else { ack };
            check_hop(hop, packet, back, &format!("path.hop[{i}]"))?;
        }
        Ok(())
    }
}

fn check_hop(
    hop: &HopSpec,
    packet: Size,
    back_packet: Size,
    place: &str,
) -> Result<(), InputError> {
    let forward = hop.effective_forward();
    if forward.slotted {
        let fragment = transmitted_size(packet, forward.spec.arq.as_ref());
        let bits = bits_on_air(forward.spec.channel.as_ref(), fragment);
        check_slot(
            bits,
            forward.mean_rate(),
            &format!("{place}.rate"),
            ", longer packets, or no slotted",
        )?;
    }
    check_channels(&forward, packet, place)?;
    let Some(back) = &hop.back else { return Ok(()) };
    let place = if back.rate.is_some() { format!("{place}.back") } else { place.to_owned() };
    check_channels(&hop.effective_back(), back_packet, &place)
}

/// Checks channels that count slots, each as long as one transmission there: a whole packet, or a fragment.
fn check_channels(
    direction: &EffectiveDirection<'_>,
    packet: Size,
    place: &str,
) -> Result<(), InputError> {
    let counting = direction.spec.channels().filter(|(_, channel)| channel.counts_slots());
    for (key, channel) in counting {
        let arq = direction.spec.arq.as_ref().filter(|_| key == "channel");
        let bits = bits_on_air(Some(channel), transmitted_size(packet, arq));
        let remedy = ", longer packets, or a channel with clock = \"packet\"";
        check_slot(bits, direction.mean_rate(), &format!("{place}.rate"), remedy)?;
    }
    Ok(())
}

fn bits_on_air(channel: Option<&ChannelSpec>, size: Size) -> u64 {
    channel.map_or(size.bits(), |channel| channel.bits_on_air(size.bits()))
}
