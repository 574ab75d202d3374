//! TCP on real packets: the codec between segments and bytes, and connections around the sender and
//! receiver of the simulator. Neither reads a clock or a device.

pub mod stack;
pub mod wire;
