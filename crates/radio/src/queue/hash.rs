//! Queue of a flow among a number of queues. The simulator numbers connections from 0; on real packets the number is a hash of addresses and ports.

use crate::spec_error::SpecError;
use airtcp_core::Stream;

/// Connection n has queue n modulo their number, or one by a hash of n.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueAssignment {
    queues: u32,
    salt: Option<u64>,
}

impl QueueAssignment {
    pub(super) fn new(queues: u32, hashes: bool, mut stream: Stream) -> Result<Self, SpecError> {
        if queues == 0 {
            return Err(SpecError::new("flows", "0 queues; there must be one"));
        }
        Ok(QueueAssignment { queues, salt: hashes.then(|| stream.next_u64()) })
    }

    #[inline]
    pub(super) fn queue_of(self, connection: u32) -> u32 {
        match self.salt {
            None => connection % self.queues,
            Some(salt) => (mix_bits(salt ^ u64::from(connection)) % u64::from(self.queues)) as u32,
        }
    }
}

/// Every bit of the number in every bit of the result [Steele, Lea, Flood 2014, SplitMix64].
fn mix_bits(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
