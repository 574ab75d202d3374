//! Limit on the packets that a run keeps in memory: a run that would exceed it ends with an error.

use airtcp_core::Instant;
use airtcp_radio::{MAX_HELD, SpecError};
use airtcp_scenario::place_of_hop;

/// Numbers of packets that a run may keep in memory.
pub(super) struct MemoryLimit {
    /// Packets in flight, and packets that link layers hold for delivery.
    max_in_flight: usize,
    /// Packets sent and not acknowledged, over all flows; their records take about a gigabyte.
    max_outstanding: usize,
}

impl MemoryLimit {
    pub(super) const DEFAULT: MemoryLimit =
        MemoryLimit { max_in_flight: MAX_HELD, max_outstanding: 100_000_000 };
}

/// Packets that one event may send before the limit is checked.
pub(super) const BURST: usize = 4096;

/// Packets that a run keeps in memory.
pub(super) struct MemoryUse<L> {
    /// Number of hops. In `links`, the links of hops come first and the access links follow.
    pub(super) hops: usize,
    /// Packets on each link.
    pub(super) packets_on_links: L,
    /// Packets between senders and the first nodes of their paths.
    pub(super) packets_on_access: usize,
    /// Capacity for packets that are sent and not acknowledged, over all flows.
    pub(super) outstanding: usize,
    /// True if the memory for events is used up.
    pub(super) event_memory_full: bool,
}

impl MemoryLimit {
    /// Error of a run that exceeds the limit at `now`.
    pub(super) fn check<L: Iterator<Item = usize> + Clone>(
        &self,
        held: &MemoryUse<L>,
        now: Instant,
    ) -> Option<SpecError> {
        if held.packets_on_links.clone().sum::<usize>() + held.packets_on_access
            > self.max_in_flight
        {
            Some(self.too_many_in_flight_error(held, now))
        } else if held.outstanding > self.max_outstanding {
            Some(self.too_many_outstanding_error(now))
        } else if held.event_memory_full {
            Some(too_many_events_error(now))
        } else {
            None
        }
    }

    /// Error for too many packets in flight; it names the hop with the most packets, or the access links where they have more.
    fn too_many_in_flight_error<L: Iterator<Item = usize> + Clone>(
        &self,
        held: &MemoryUse<L>,
        now: Instant,
    ) -> SpecError {
        let hops = held.hops;
        let place = |link: usize| place_of_hop(link >= hops, link % hops, hops);
        let each = held.packets_on_links.clone().take(2 * hops).enumerate();
        let most = each.map(|(link, packets)| (packets, place(link))).max();
        let (most, place) = most.expect("a path has hops");
        let on_accesses =
            held.packets_on_access + held.packets_on_links.clone().skip(2 * hops).sum::<usize>();
        let (place, whose, less) = if on_accesses > most {
            let place = "flow".to_owned();
            (
                place,
                "between senders and their first nodes",
                "a smaller window, or a shorter access_delay",
            )
        } else {
            (place, "here", "a queue with a limit, a smaller window, or a shorter delay")
        };
        let message = format!(
            "more than {} packets are under way after {:.3} s, most of them {whose}, and a run may hold no more: {less}",
            self.max_in_flight,
            seconds(now)
        );
        SpecError::new(place, message)
    }

    fn too_many_outstanding_error(&self, now: Instant) -> SpecError {
        let message = format!(
            "room for more than {} packets that wait for their ACKs is asked for after {:.3} s, which is more than a run may \
             take: smaller windows, or fewer flows",
            self.max_outstanding,
            seconds(now)
        );
        SpecError::new("tcp.window", message)
    }
}

fn too_many_events_error(now: Instant) -> SpecError {
    let message = format!(
        "the events of {:.3} s fill the memory that a trace may take: a shorter run",
        seconds(now)
    );
    SpecError::new("stop.time", message)
}

fn seconds(now: Instant) -> f64 {
    (now - Instant::START).seconds()
}

#[cfg(test)]
mod tests {
    use super::super::classic::ClassicEnds;
    use super::super::compact_form::FullForm;
    use super::super::links::{ChainLinks, Links, NetworkLinks};
    use super::super::path::classic_config;
    use super::super::timeline::{NanosecondTime, NsTime, Timeline};
    use super::super::{EventTable, Network, NullObserver, Observer};
    use super::*;
    use airtcp_core::Cancel;
    use airtcp_scenario::{PathScenario, Scenario, points};
    use serde_json::{Value, json};

    fn scenario(hops: &Value, flow: &Value) -> PathScenario {
        of_profile("rfc", hops, flow)
    }

    fn of_profile(profile: &str, hops: &Value, flow: &Value) -> PathScenario {
        let document = json!({
            "profile": profile, "tcp": {"variant": "reno"}, "path": {"hop": hops}, "flow": flow,
            "stop": {"time": "9e9s"},
        });
        match points(&document).unwrap().remove(0) {
            Scenario::Path(scenario) => scenario,
            Scenario::Slot(_) => unreachable!("a profile with a path"),
        }
    }

    /// Error with which a run under `limit` ends.
    fn failure<O: Observer>(
        scenario: &PathScenario,
        limit: MemoryLimit,
        observer: O,
    ) -> Option<String> {
        failure_on::<O, NanosecondTime, ChainLinks<_, _>>(scenario, limit, observer)
    }

    fn failure_on<O: Observer, T: Timeline, L: Links<T, ClassicEnds<FullForm>>>(
        scenario: &PathScenario,
        limit: MemoryLimit,
        observer: O,
    ) -> Option<String> {
        let mut network = Network::<O, T, ClassicEnds<FullForm>, L>::new(
            classic_config(scenario, 1, 0).unwrap(),
            observer,
        );
        network.memory_limit = limit;
        assert!(network.run(&Cancel::new()).is_some());
        network.failure.map(|error| format!("{}: {}", error.field, error.message))
    }

    /// Copies of one packet, a minute apart.
    #[test]
    fn a_delay_of_centuries_ends_with_an_error() {
        let far = |key: &str| {
            let mut hop = json!({"rate": "1Mbps", "delay": "1ms"});
            hop[key] = if key == "back" { json!({"delay": "9e9s"}) } else { json!("9e9s") };
            json!([{"rate": "1Mbps", "delay": "1ms"}, hop])
        };
        let start = "more than 1000 packets are under way after ";
        for (key, place) in [("delay", "path.hop[1]"), ("back", "path.hop[1].back")] {
            let limit = || MemoryLimit { max_in_flight: 1000, ..MemoryLimit::DEFAULT };
            let flow = json!([{}]);
            let of_rfc = failure(&scenario(&far(key), &flow), limit(), NullObserver);
            let of_ns2 = of_profile("ns2", &far(key), &flow);
            let of_ns2 = failure_on::<_, NsTime, ChainLinks<_, _>>(&of_ns2, limit(), NullObserver);
            for found in [of_rfc, of_ns2] {
                let text = found.expect("more than there is room for");
                assert!(text.starts_with(&format!("{place}: {start}")), "{text}");
                assert!(
                    text.ends_with("a queue with a limit, a smaller window, or a shorter delay")
                );
            }
        }
    }

    /// The access is a delay, or a link of ns.
    #[test]
    fn a_long_way_to_the_first_node_is_named() {
        let hop = json!([{"rate": "1Mbps", "delay": "1ms"}]);
        let flow = json!([{"access_delay": "9e9s"}]);
        let limit = || MemoryLimit { max_in_flight: 1000, ..MemoryLimit::DEFAULT };
        let of_rfc = of_profile("rfc", &hop, &flow);
        let of_rfc =
            failure_on::<_, NanosecondTime, NetworkLinks<_, _>>(&of_rfc, limit(), NullObserver);
        let of_ns2 = of_profile("ns2", &hop, &flow);
        let of_ns2 = failure_on::<_, NsTime, NetworkLinks<_, _>>(&of_ns2, limit(), NullObserver);
        for found in [of_rfc, of_ns2] {
            let text = found.expect("more than there is room for");
            assert!(text.starts_with("flow: more than 1000 packets are under way"), "{text}");
            assert!(text.contains("most of them between senders and their first nodes"));
            assert!(text.ends_with("a shorter access_delay"), "{text}");
        }
    }

    /// Parts so short that no look falls into one.
    #[test]
    fn parts_do_not_hide_it() {
        let hop = json!([{"rate": "1Mbps", "delay": "9e9s"}]);
        let mut scenario = scenario(&hop, &json!([{}]));
        scenario.stop.batches = 1_000_000;
        let mut network =
            Network::<_, NanosecondTime, ClassicEnds<FullForm>, ChainLinks<_, _>>::new(
                classic_config(&scenario, 1, 0).unwrap(),
                NullObserver,
            );
        network.memory_limit = MemoryLimit { max_in_flight: 1000, ..MemoryLimit::DEFAULT };
        let failed = scenario.stop.part_ends().position(|mark| {
            assert!(network.run_until(mark, &Cancel::new()).is_some());
            network.failure.is_some()
        });
        assert!(failed.expect("more than there is room for") < 10);
    }

    #[test]
    fn what_a_link_layer_owes_counts() {
        let hop = json!([{
            "rate": "1Mbps", "delay": "1ms", "channel": {"kind": "iid", "loss_rate": 0.9},
            "arq": {"fragment": "1B", "attempts": 1000, "feedback_delay": "9e9s"},
        }]);
        let limit = MemoryLimit { max_in_flight: 10_000, ..MemoryLimit::DEFAULT };
        let text = failure(&scenario(&hop, &json!([{}])), limit, NullObserver).unwrap();
        assert!(text.starts_with("path.hop[0]: more than 10000 packets"), "{text}");
    }

    #[test]
    fn flows_that_wait_for_acks_without_end_are_told() {
        let hop = json!([{"rate": "1Mbps", "delay": "1ms", "queue": 2}]);
        let limit = MemoryLimit { max_outstanding: 3000, ..MemoryLimit::DEFAULT };
        let text = failure(&scenario(&hop, &json!([{"count": 200}])), limit, NullObserver).unwrap();
        assert!(
            text.starts_with("tcp.window: room for more than 3000 packets that wait"),
            "{text}"
        );
    }

    #[test]
    fn events_that_do_not_fit_are_told() {
        let scenario =
            scenario(&json!([{"rate": "1Mbps", "delay": "1ms"}]), &json!([{"packets": 5000}]));
        assert_eq!(failure(&scenario, MemoryLimit::DEFAULT, NullObserver), None);
        assert_eq!(
            failure(&scenario, MemoryLimit::DEFAULT, EventTable::with_limit(10_000_000)),
            None
        );
        let text =
            failure(&scenario, MemoryLimit::DEFAULT, EventTable::with_limit(100_000)).unwrap();
        assert!(text.starts_with("stop.time: the events of "), "{text}");
        assert!(
            text.ends_with(" s fill the memory that a trace may take: a shorter run"),
            "{text}"
        );
    }
}
