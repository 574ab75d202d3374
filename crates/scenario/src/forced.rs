//! Checks of forced losses, which name packets of the first flow: they are refused on hops that these packets do not
//! pass, and if the packets do not exist.

use crate::direction::ForcedLoss;
use crate::hop::HopSpec;
use crate::input_error::InputError;
use crate::path::{Flow, PathScenario};
use airtcp_core::Size;

impl PathScenario {
    /// Checks that every packet to be lost may come to the place of its loss.
    pub(crate) fn check_forced(&self) -> Result<(), InputError> {
        if self.path.hop.iter().flat_map(HopSpec::directions).all(|one| one.drop.is_empty()) {
            return Ok(());
        }
        let (Some(flow), mut routes) = (self.flow.first(), self.routes()) else { return Ok(()) };
        if flow.has_transfers() {
            let message = "a flow of many transfers cannot have forced losses (path.hop.drop); remove one of the two";
            return Err(InputError::new("flow[0].sizes", message));
        }
        let Some(ends) = routes.nodes().flow_end_nodes(flow) else { return Ok(()) };
        let hops_crossed = routes.route(ends);
        for (i, hop) in self.path.hop.iter().enumerate() {
            let crosses = hops_crossed.iter().any(|crossed| crossed.0 == i);
            let directions =
                [(hop.effective_forward(), "drop"), (hop.effective_back(), "back.drop")];
            for (direction, place) in directions {
                let drops = direction.spec.drop.as_slice();
                let place = format!("path.hop[{i}].{place}");
                if !drops.is_empty() && !crosses {
                    let message =
                        "forced losses hit only the first flow, which does not cross this hop";
                    return Err(InputError::new(place, message));
                }
                self.check_numbers(flow, drops, &place)?;
            }
        }
        Ok(())
    }

    /// Checks that no number is above the number of the last packet; ACKs have the same numbers.
    fn check_numbers(
        &self,
        flow: &Flow,
        drops: &[ForcedLoss],
        place: &str,
    ) -> Result<(), InputError> {
        let unit = self.tcp_of(flow).numbers_per_packet();
        let size = flow.size.map(|size: Size| size.bytes().div_ceil(unit));
        let Some(packets) = size.or(flow.packets) else { return Ok(()) };
        match drops.iter().position(|ForcedLoss(number, _)| *number >= packets) {
            None => Ok(()),
            Some(i) => {
                let message = format!(
                    "{} is beyond the end of the first flow: packets are numbered from 0 to {}",
                    drops[i].0,
                    packets - 1
                );
                Err(InputError::new(format!("{place}[{i}][0]"), message))
            }
        }
    }
}
