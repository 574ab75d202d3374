//! TCP on real packets: the codec between segments and bytes, connections around the sender and receiver
//! of the simulator, and the emulator, which sends the packets of real programs over the hops of a
//! scenario. Clocks and devices are in `emulator::host` alone, the only part that needs Linux.

pub mod emulator;
pub mod lengths;
pub mod stack;
pub mod wire;
