//! Packets that wait, each in a place of its own while its queue decides about it.

/// Places for packets; a place that became free is used again.
#[derive(Debug)]
pub(super) struct Slab<P> {
    places: Vec<Option<P>>,
    free: Vec<u32>,
}

impl<P> Slab<P> {
    pub(super) fn new() -> Self {
        Slab { places: Vec::new(), free: Vec::new() }
    }

    /// Keeps `payload`: where.
    #[inline(always)]
    pub(super) fn keep(&mut self, payload: P) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = Some(payload);
            return place;
        }
        self.places.push(Some(payload));
        (self.places.len() - 1) as u32
    }

    /// The packet at `place`, which becomes free.
    #[inline(always)]
    pub(super) fn take(&mut self, place: u32) -> P {
        self.free.push(place);
        self.places[place as usize].take().expect("a ticket is used once")
    }
}
