//! The congestion control that the options of a socket name.

use super::wire::SenderOptions;
use crate::congestion::Control;
use crate::sysctl::Sysctl;

/// The control that the options name, with the host's parameters; Reno where there is none of that name.
pub(super) fn control(sysctl: &Sysctl, options: &SenderOptions) -> Control {
    let named = Control::named(&options.control).or_else(|| Control::named("reno"));
    let mut control = named.expect("Reno exists");
    if let Control::Cubic(cubic) = &mut control {
        let on = if sysctl.hystart == 0 { 0 } else { sysctl.hystart_detect };
        cubic.hystart.off = !(on as u8) & 3;
    }
    control.set_random(options.random.clone());
    control
}
