//! What no single value of a packet-level scenario can show: rules between its values.

use crate::arq::Arq;
use crate::input_error::InputError;
use crate::linux::Congestion;
use crate::live::Live;
use crate::path::{
    DelayChange, Drop, Flow, HopQueue, HopReorder, HopSpec, PathScenario, PathTcp, WindowSize,
};
use crate::profile::Profile;
use crate::rates_met::check_rates;
use crate::shortest::{check_means, check_sojourns, check_stays, refuse_short};
use crate::variants::check_variant;
use airtcp_core::{Duration, Probability, Rate, Size, Stream};
use airtcp_linux::Sysctl;
use airtcp_radio::channel::OnOff;
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::law::Spec as _;
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{ChannelSpec, LawSpec, OPPORTUNITY, QueueSpec};
use airtcp_tcp::{Detection, GrowthLaw, NsSettings, Reduction, SlowStart, Spurious};

/// What a profile's TCP has beside the common values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rules {
    /// Of profile `ns2`.
    Ns2 {
        /// Tick of the clock that measures round trips.
        tick: Duration,
        /// Phase of that clock in seconds.
        boot: f64,
        /// Settings of ns's agents.
        ns: NsSettings,
    },
    /// Of profile `rfc`.
    Rfc(Rfc),
    /// Of profile `bsd`.
    Bsd(Bsd),
    /// Of profile `linux`.
    Linux(Linux),
}

/// What TCP has beside the common values in profile `linux`; see the fields of [`PathTcp`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "described at `PathTcp`")]
pub struct Linux {
    pub header: Size,
    pub congestion: Congestion,
    pub sack: bool,
    pub timestamps: bool,
    pub ecn: bool,
    pub initial_window: u32,
}

/// What TCP has beside the common values in profile `bsd`; see the fields of [`PathTcp`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "described at `PathTcp`")]
pub struct Bsd {
    pub header: Size,
    pub framing: Size,
    pub tick: Duration,
    pub initial_window: u32,
}

/// What TCP has beside the common values in profile `rfc`; see the fields of [`PathTcp`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "described at `PathTcp`")]
pub struct Rfc {
    pub header: Size,
    pub growth: GrowthLaw,
    pub detection: Detection,
    pub reduction: Reduction,
    pub slow_start: SlowStart,
    pub spurious: Spurious,
    pub initial_window: u32,
    pub abc_limit: u32,
    pub delayed_ack: Duration,
    pub limited_transmit: bool,
    pub ecn: bool,
    pub initial_rto: Duration,
    pub rto_margin: Duration,
    pub min_rto: Duration,
    pub max_rto: Duration,
}

/// First window of Linux [linux/sending.md rule 24].
const INITIAL_WINDOW: u32 = 10;

/// `tcp_min_snd_mss` [linux/sending.md rule 16], and the largest packet of IP.
const SMALLEST_SEGMENT: u64 = 48;
const LARGEST_PACKET: u64 = 65_535;

/// Longest delay of an ACK [RFC 5681 4.2: it MUST be less].
const ACK_DELAY_LIMIT: f64 = 0.5;

impl PathTcp {
    /// What the profile's TCP has beside the common values.
    ///
    /// # Errors
    /// If one of them is missing.
    pub fn rules(&self, profile: Profile) -> Result<Rules, InputError> {
        match profile {
            Profile::Ns2 => {
                let ns = self.ns.as_deref().copied().unwrap_or_default();
                Ok(Rules::Ns2 {
                    tick: given(self.tick, "tick")?,
                    boot: given(self.boot, "boot")?,
                    ns,
                })
            }
            Profile::Rfc => Ok(Rules::Rfc(Rfc {
                header: given(self.header, "header")?,
                growth: given(self.growth, "growth")?,
                detection: self
                    .detection
                    .unwrap_or_else(|| Detection::usual(self.recovery().capabilities().sacks)),
                reduction: self.reduction.unwrap_or_default(),
                slow_start: self.slow_start.unwrap_or_default(),
                spurious: given(self.spurious, "spurious")?,
                initial_window: given(self.initial_window, "initial_window")?,
                abc_limit: self.abc_limit.unwrap_or(1),
                delayed_ack: given(self.delayed_ack, "delayed_ack")?,
                limited_transmit: given(self.limited_transmit, "limited_transmit")?,
                ecn: self.uses_ecn(),
                initial_rto: given(self.initial_rto, "initial_rto")?,
                rto_margin: self.rto_margin.unwrap_or(Duration::ZERO),
                min_rto: given(self.min_rto, "min_rto")?,
                max_rto: given(self.max_rto, "max_rto")?,
            })),
            Profile::Bsd => Ok(Rules::Bsd(Bsd {
                header: given(self.header, "header")?,
                framing: given(self.framing, "framing")?,
                tick: given(self.tick, "tick")?,
                initial_window: given(self.initial_window, "initial_window")?,
            })),
            Profile::Linux => Ok(Rules::Linux(Linux {
                header: given(self.header, "header")?,
                congestion: given(self.congestion, "congestion")?,
                sack: given(self.sack, "sack")?,
                timestamps: given(self.timestamps, "timestamps")?,
                ecn: self.ecn.unwrap_or(false),
                initial_window: self.initial_window.unwrap_or(INITIAL_WINDOW),
            })),
            Profile::Zorzi => Err(InputError::new("profile", "zorzi has no path")),
        }
    }
}

/// Where the keys of a transport stand in the document: in `[tcp]`, or in a flow.
#[derive(Clone, Copy)]
struct Place<'a>(Option<(&'a str, &'a Flow)>);

impl Place<'_> {
    fn key(self, key: &str) -> String {
        match self.0 {
            None => format!("tcp.{key}"),
            Some((place, flow)) if ["variant", "window"].contains(&key) && !flow.gives(key) => {
                format!("{place}.{key}")
            }
            Some((place, _)) => format!("{place}.tcp.{key}"),
        }
    }
}

impl PathScenario {
    /// Checks what no single value can show.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn validate(&self) -> Result<(), InputError> {
        self.check_tcp(&self.tcp, Place(None))?;
        self.check_nodes()?;
        self.check_traffic()?;
        self.live.as_deref().map_or(Ok(()), Live::validate)?;
        for (i, hop) in self.path.hop.iter().enumerate() {
            check_hop(hop, &format!("path.hop[{i}]"), self.stop.time)?;
        }
        self.check_forced()?;
        self.check_queues()?;
        self.check_slots()?;
        for (i, flow) in self.flow.iter().enumerate() {
            self.check_flow(flow, &format!("flow[{i}]"))?;
        }
        self.stop.validate(self.flows())
    }

    fn check_flow(&self, flow: &Flow, place: &str) -> Result<(), InputError> {
        let tcp = self.tcp_of(flow);
        if flow.own.is_some() {
            check_once(flow, place)?;
            let keys = Place(Some((place, flow)));
            self.check_tcp(tcp, keys)?;
            self.check_fits(tcp, &keys.key("packet"))?;
        }
        if let Some(size) = flow.size {
            self.check_size(flow, size, place)?;
        }
        self.check_transfers(flow, place)?;
        let packets = flow.size.map(|size| size.bytes().div_ceil(tcp.unit())).or(flow.packets);
        match (packets, flow.milestone) {
            (Some(packets), Some(milestone)) if milestone > packets => Err(InputError::new(
                format!("{place}.milestone"),
                format!("{milestone} is beyond the end of the flow: at most {packets} (packets)"),
            )),
            _ => Ok(()),
        }
    }

    fn check_tcp(&self, tcp: &PathTcp, place: Place<'_>) -> Result<(), InputError> {
        if self.profile.source().is_some() {
            let variant = given(tcp.variant, "variant")?;
            check_variant(self.profile, variant, &place.key("variant"))?;
        }
        match tcp.rules(self.profile)? {
            Rules::Ns2 { tick, boot, .. } => check_clock(tick, boot, place)?,
            Rules::Rfc(rules) => check_rfc(&rules, tcp, place)?,
            Rules::Bsd(rules) => check_bsd(&rules, tcp, place)?,
            Rules::Linux(rules) => check_linux(&rules, tcp, place)?,
        }
        self.check_window(tcp, &place.key("window"))?;
        check_watch(tcp, place)
    }

    fn check_window(&self, tcp: &PathTcp, place: &str) -> Result<(), InputError> {
        let (window, unit, counts_bytes) = (tcp.window, tcp.unit(), tcp.headers().is_some());
        match window {
            WindowSize::Bytes(size) if !counts_bytes => {
                return Err(InputError::new(place, self.counts_packets(size)));
            }
            WindowSize::Bytes(size) if size.bytes() < unit => {
                let message = format!("{size} holds no full packet: at least {unit}B");
                return Err(InputError::new(place, message));
            }
            _ => {}
        }
        if self.profile == Profile::Bsd {
            return check_16_bits(window.numbers(unit), window, place, unit);
        }
        if counts_bytes { check_bytes(window, place, unit) } else { Ok(()) }
    }

    fn counts_packets(&self, size: Size) -> String {
        let name = self.profile.entry().name;
        format!("{size} is a size, and profile {name} counts packets: give a whole number")
    }

    fn check_size(&self, flow: &Flow, size: Size, place: &str) -> Result<(), InputError> {
        let place = format!("{place}.size");
        if self.tcp_of(flow).headers().is_none() {
            let message = format!("{}, as flow.packets", self.counts_packets(size));
            return Err(InputError::new(place, message));
        }
        if flow.packets.is_some() {
            return Err(InputError::new(place, "not together with packets: give one of them"));
        }
        Ok(())
    }
}

/// A flow says a key of its transport at one place.
fn check_once(flow: &Flow, place: &str) -> Result<(), InputError> {
    let given = [("variant", flow.variant.is_some()), ("window", flow.window.is_some())];
    match given.iter().find(|(key, is_given)| *is_given && flow.gives(key)) {
        Some((key, _)) => {
            let message = format!("also given as {place}.tcp.{key}: give one of them");
            Err(InputError::new(format!("{place}.{key}"), message))
        }
        None => Ok(()),
    }
}

/// A variant that probes at a timeout does so whatever its cause.
fn check_watch(tcp: &PathTcp, place: Place<'_>) -> Result<(), InputError> {
    match tcp.spurious {
        Some(watch) if watch != Spurious::None && tcp.recovery().capabilities().probes => {
            let message = format!(
                "{} probes at every timeout, so that {} must be \"none\"",
                tcp.name(),
                place.key("spurious")
            );
            Err(InputError::new(place.key("variant"), message))
        }
        _ => Ok(()),
    }
}

fn given<T>(value: Option<T>, key: &str) -> Result<T, InputError> {
    value.ok_or_else(|| InputError::new(format!("tcp.{key}"), "missing"))
}

fn check_clock(tick: Duration, boot: f64, place: Place<'_>) -> Result<(), InputError> {
    if tick == Duration::ZERO {
        return Err(InputError::new(place.key("tick"), "0s is too short: above 0s"));
    }
    if !(0.0..tick.seconds()).contains(&boot) {
        let message = format!("{boot} is not from 0 to below the tick, {} s", tick.seconds());
        return Err(InputError::new(place.key("boot"), message));
    }
    Ok(())
}

fn check_rfc(rules: &Rfc, tcp: &PathTcp, place: Place<'_>) -> Result<(), InputError> {
    let option = u64::from(rules.spurious.option_bytes());
    let header = rules.header.bytes() + option;
    if header >= tcp.packet.bytes() {
        let and = if option > 0 { format!(" and {option}B of timestamps") } else { String::new() };
        let message =
            format!("{}{and} leaves no payload: below packet, {}", rules.header, tcp.packet);
        return Err(InputError::new(place.key("header"), message));
    }
    if rules.delayed_ack.seconds() >= ACK_DELAY_LIMIT {
        let message = format!("{} is too long: below 500ms [RFC 5681 4.2]", rules.delayed_ack);
        return Err(InputError::new(place.key("delayed_ack"), message));
    }
    let (detection, reduction) = (rules.detection, rules.reduction);
    let of_reports = [
        ("detection", detection.needs_reports(), detection.name(), Detection::usual(false).name()),
        ("reduction", reduction.needs_reports(), reduction.name(), Reduction::default().name()),
    ];
    let reads = tcp.recovery().capabilities().sacks;
    if let Some((key, _, name, other)) = of_reports.iter().find(|one| one.1 && !reads) {
        let message = format!(
            "\"{name}\" goes by SACK blocks, and {} reads none (allowed: {other})",
            tcp.name()
        );
        return Err(InputError::new(place.key(key), message));
    }
    if matches!(rules.slow_start, SlowStart::HyStartPlus(_)) && tcp.abc_limit.is_some() {
        let message = "not together with slow_start \"hystart++\", which adds 8 segments at most";
        return Err(InputError::new(place.key("abc_limit"), message));
    }
    check_growth(rules, place)?;
    for (key, value) in [("initial_rto", rules.initial_rto), ("max_rto", rules.max_rto)] {
        refuse_short(&place.key(key), value)?;
    }
    if rules.initial_rto > rules.max_rto {
        let message = format!("{} is above max_rto, {}", rules.initial_rto, rules.max_rto);
        return Err(InputError::new(place.key("initial_rto"), message));
    }
    if rules.min_rto > rules.max_rto {
        let message = format!("{} is above max_rto, {}", rules.min_rto, rules.max_rto);
        return Err(InputError::new(place.key("min_rto"), message));
    }
    Ok(())
}

/// Parameters of a growth that do not go together, and a slow start for one that has its own.
fn check_growth(rules: &Rfc, place: Place<'_>) -> Result<(), InputError> {
    if let Some((key, message)) = rules.growth.fault() {
        return Err(InputError::new(format!("{}.{key}", place.key("growth")), message));
    }
    if rules.growth.counts_marks() && !rules.ecn {
        let name = rules.growth.name();
        let message = format!("false: growth \"{name}\" goes by marks; true, or leave it out");
        return Err(InputError::new(place.key("ecn"), message));
    }
    if rules.growth.has_own_start() && rules.slow_start != SlowStart::default() {
        let name = rules.growth.name();
        let message = format!("not with growth \"{name}\", which has a slow start of its own");
        return Err(InputError::new(place.key("slow_start"), message));
    }
    Ok(())
}

fn check_bsd(rules: &Bsd, tcp: &PathTcp, place: Place<'_>) -> Result<(), InputError> {
    if rules.header >= tcp.packet {
        let message = format!("{} leaves no payload: below packet, {}", rules.header, tcp.packet);
        return Err(InputError::new(place.key("header"), message));
    }
    check_clock(rules.tick, 0.0, place)?;
    refuse_short(&place.key("tick"), rules.tick)?;
    let unit = tcp.packet.bytes() - rules.header.bytes();
    let windows = [("initial_window", Some(rules.initial_window)), ("ssthresh", tcp.ssthresh)];
    for (key, window) in windows {
        let window = WindowSize::Packets(window.unwrap_or(1));
        check_16_bits(window.numbers(unit), window, &place.key(key), unit)?;
    }
    Ok(())
}

/// Segments on IPv4 or IPv6, neither smaller nor larger than Linux sends them.
fn check_linux(rules: &Linux, tcp: &PathTcp, place: Place<'_>) -> Result<(), InputError> {
    if ![40, 60].contains(&rules.header.bytes()) {
        let message = format!("{} is not 40B (IPv4) or 60B (IPv6), without options", rules.header);
        return Err(InputError::new(place.key("header"), message));
    }
    let least = rules.header.bytes() + 12 * u64::from(rules.timestamps) + SMALLEST_SEGMENT;
    if !(least..=LARGEST_PACKET).contains(&tcp.packet.bytes()) {
        let message =
            format!("{} is no packet of Linux: {least}B to {LARGEST_PACKET}B", tcp.packet);
        return Err(InputError::new(place.key("packet"), message));
    }
    let mut settings = Sysctl::default();
    if let Some(keys) = &tcp.sysctl {
        keys.apply(&mut settings, &place.key("sysctl"))?;
    }
    let payload = tcp.packet.bytes() - rules.header.bytes();
    if settings.tcp_min_snd_mss > payload {
        let message = format!(
            "{} is more than a packet of {} carries: at most {payload}",
            settings.tcp_min_snd_mss, tcp.packet
        );
        return Err(InputError::new(place.key("sysctl.tcp_min_snd_mss"), message));
    }
    Ok(())
}

/// Windows without scaling count bytes in 16 bits.
fn check_16_bits(bytes: u64, window: WindowSize, place: &str, unit: u64) -> Result<(), InputError> {
    let most = u64::from(u16::MAX);
    if bytes <= most {
        return Ok(());
    }
    let message = match window {
        WindowSize::Packets(n) if unit <= most => {
            format!("{n} packets of {unit} B exceed 65535 B: at most {}", most / unit)
        }
        WindowSize::Packets(_) => format!("no packet of {unit} B fits: it has 65535 B at most"),
        WindowSize::Bytes(size) => format!("{size} is too large: at most 65535B"),
    };
    Err(InputError::new(place, message))
}

/// Windows of the RFCs count bytes in 32 bits.
fn check_bytes(window: WindowSize, place: &str, payload: u64) -> Result<(), InputError> {
    let most = u64::from(u32::MAX);
    let message = match window {
        _ if window.numbers(payload) <= most => return Ok(()),
        WindowSize::Packets(n) => {
            format!("{n} packets of {payload} B exceed 4 GiB: at most {}", most / payload)
        }
        WindowSize::Bytes(size) => format!("{size} is too large: at most {most}B"),
    };
    Err(InputError::new(place, message))
}

fn check_hop(hop: &HopSpec, place: &str, end: Duration) -> Result<(), InputError> {
    check_rates(hop, place)?;
    let rate = hop.mean_rate();
    check_channel(hop.exit.as_ref(), (rate, end), place, "exit")?;
    check_channel(hop.channel.as_ref(), (rate, end), place, "channel")?;
    check_arq(hop.arq.as_ref(), place)?;
    check_slotted(hop, place)?;
    check_stays(hop.gate.as_ref(), place)?;
    if let Some(gate) = &hop.gate {
        let built = gate.build(Stream::new(0, "", 0)).map(|_| ());
        built.map_err(|e| InputError::within(e, &format!("{place}.gate")))?;
        check_means(gate, place)?;
    }
    check_drops(&hop.drop, place)?;
    check_delays(&hop.delays, place)?;
    let (jitter, reorder) = (hop.jitter.as_ref(), hop.reorder);
    let wire = Wire { jitter, reorder, duplicate: hop.duplicate };
    wire.check(hop.arq.is_some(), place)?;
    wire.check_overtaken(hop.delay, &hop.delays, place)?;
    check_queue(hop.queue.as_ref(), hop.arq.is_some(), place)?;
    let is_gated = hop.gate.is_some();
    let others = [("gate", is_gated), ("arq", hop.arq.is_some()), ("slotted", hop.slotted)];
    check_opportunities(&hop.opportunities, rate, &others, place)?;
    if let Some(back) = &hop.back {
        let place = format!("{place}.back");
        let limits = (hop.back_mean_rate(), end);
        check_channel(back.exit.as_ref(), limits, &place, "exit")?;
        check_channel(back.channel.as_ref(), limits, &place, "channel")?;
        check_arq(back.arq.as_ref(), &place)?;
        check_shared(hop.exit.as_ref(), back.exit.as_ref(), &format!("{place}.exit"))?;
        check_shared(hop.channel.as_ref(), back.channel.as_ref(), &format!("{place}.channel"))?;
        check_drops(&back.drop, &place)?;
        check_delays(&back.delays, &place)?;
        let (jitter, reorder) = (back.jitter.as_ref(), back.reorder);
        let wire = Wire { jitter, reorder, duplicate: back.duplicate };
        wire.check(back.arq.is_some(), &place)?;
        wire.check_overtaken(back.delay.unwrap_or(hop.delay), &back.delays, &place)?;
        let queue = back.queue.as_ref().or(hop.queue.as_ref());
        check_queue(queue, back.arq.is_some(), &place)?;
        let others = [("gate", is_gated), ("arq", back.arq.is_some())];
        check_opportunities(&back.opportunities, limits.0, &others, &place)?;
    }
    Ok(())
}

/// A queue can be built (one with bands: `check_priority`), and a link layer that retransmits has one that only refuses.
fn check_queue(queue: Option<&HopQueue>, is_arq: bool, place: &str) -> Result<(), InputError> {
    let Some(HopQueue::Kind(queue)) = queue else { return Ok(()) };
    let place = format!("{place}.queue");
    if !matches!(queue, QueueSpec::Priority(_)) {
        queue
            .build(Rate::FASTEST, Stream::new(0, "", 0))
            .map_err(|e| InputError::within(e, &place))?;
    }
    if is_arq && queue.discipline().is_none() {
        let message = format!("{:?} is not possible with arq: drop-tail", queue.entry().name);
        return Err(InputError::new(format!("{place}.kind"), message));
    }
    Ok(())
}

/// What the wire of one direction adds to packets.
struct Wire<'a> {
    jitter: Option<&'a LawSpec>,
    reorder: HopReorder,
    duplicate: Option<Probability>,
}

impl Wire<'_> {
    /// Packets that are not delayed overtake others only where those are.
    fn check_overtaken(
        &self,
        delay: Duration,
        delays: &[DelayChange],
        place: &str,
    ) -> Result<(), InputError> {
        let is_delayed = delay > Duration::ZERO
            || self.jitter.is_some()
            || delays.iter().any(|change| change.delay > Duration::ZERO);
        if is_delayed || self.reorder.ahead().is_none() {
            return Ok(());
        }
        let message =
            "nothing delays a packet that others could overtake: give delay, delays or jitter";
        Err(InputError::new(format!("{place}.reorder"), message))
    }

    fn check(&self, is_arq: bool, place: &str) -> Result<(), InputError> {
        if let Some(law) = self.jitter {
            law.build().map_err(|e| InputError::within(e, &format!("{place}.jitter")))?;
        }
        if let Some(reorder) = self.reorder.ahead() {
            let built = reorder.build(Stream::new(0, "", 0));
            built.map_err(|e| InputError::within(e, &format!("{place}.reorder")))?;
        }
        let duplicates = self.duplicate.is_some_and(|p| p > Probability::ZERO);
        let keys = [
            ("jitter", self.jitter.is_some()),
            ("reorder", !self.reorder.is_never()),
            ("duplicate", duplicates),
        ];
        match keys.iter().find(|(_, is_there)| is_arq && *is_there) {
            None => Ok(()),
            Some((key, _)) => {
                let message = "not together with arq: put the two on hops of their own";
                Err(InputError::new(format!("{place}.{key}"), message))
            }
        }
    }
}

fn check_channel(
    channel: Option<&ChannelSpec>,
    (rate, end): (Rate, Duration),
    place: &str,
    key: &str,
) -> Result<(), InputError> {
    let Some(channel) = channel else { return Ok(()) };
    let place = format!("{place}.{key}");
    check_sojourns(channel, &place)?;
    let checked = channel.check_rate(rate).and_then(|()| channel.check_end(end.seconds()));
    checked
        .and_then(|()| channel.two_state())
        .map(|_| ())
        .map_err(|e| InputError::within(e, &place))
}

/// Phases that both directions share are the same; what is lost in them may differ.
fn check_shared(
    ahead: Option<&ChannelSpec>,
    back: Option<&ChannelSpec>,
    place: &str,
) -> Result<(), InputError> {
    let (Some(ChannelSpec::OnOff(ahead)), Some(ChannelSpec::OnOff(back))) = (ahead, back) else {
        return Ok(());
    };
    let phases = |of: &OnOff| (of.on, of.off, of.start, of.lengths, of.shared);
    if (ahead.shared || back.shared) && phases(ahead) != phases(back) {
        let message = "on, off, start, lengths and shared must be the same as on the way ahead, for \
            the phases are shared";
        return Err(InputError::new(place, message));
    }
    Ok(())
}

/// On slots a channel is of one direction.
fn check_slotted(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    match &hop.channel {
        Some(ChannelSpec::OnOff(channel)) if hop.slotted && channel.shared => {
            let message = "true is not possible on a slotted hop: false, or slotted = false";
            Err(InputError::new(format!("{place}.channel.shared"), message))
        }
        _ => Ok(()),
    }
}

fn check_arq(arq: Option<&Arq>, place: &str) -> Result<(), InputError> {
    arq.map_or(Ok(()), |arq| arq.validate(&format!("{place}.arq")))
}

fn check_drops(drops: &[Drop], place: &str) -> Result<(), InputError> {
    for (i, Drop(_, copy)) in drops.iter().enumerate() {
        if *copy == 0 {
            let message = "0: copies are counted from 1";
            return Err(InputError::new(format!("{place}.drop[{i}][1]"), message));
        }
    }
    Ok(())
}

fn check_delays(delays: &[crate::path::DelayChange], place: &str) -> Result<(), InputError> {
    match delays.windows(2).position(|pair| pair[0].at >= pair[1].at) {
        None => Ok(()),
        Some(i) => {
            let message =
                format!("{} after {}: the times must increase", delays[i + 1].at, delays[i].at);
            Err(InputError::new(format!("{place}.delays[{}].at", i + 1), message))
        }
    }
}

/// How far a rate may be from the mean of the opportunities.
const ROUNDED: f64 = 0.01;

fn check_opportunities(
    millis: &[u32],
    rate: Rate,
    others: &[(&str, bool)],
    place: &str,
) -> Result<(), InputError> {
    let Some(&last) = millis.last() else { return Ok(()) };
    let refuse = |key: &str, message| Err(InputError::new(format!("{place}.{key}"), message));
    if let Some(i) = millis.windows(2).position(|pair| pair[0] > pair[1]) {
        let message = format!("{} after {}: the times must not fall", millis[i + 1], millis[i]);
        return refuse(&format!("opportunities[{}]", i + 1), message);
    }
    if last == 0 {
        return refuse(
            "opportunities",
            "the last one is 0 ms, but they repeat from there on: above 0".into(),
        );
    }
    if let Some((other, _)) = others.iter().find(|(_, is_there)| *is_there) {
        let message = format!("not together with {other}: put the two on hops of their own");
        return refuse("opportunities", message);
    }
    let mean = OPPORTUNITY as f64 * millis.len() as f64 / (f64::from(last) / 1000.0);
    if (rate.bits_per_second() / mean - 1.0).abs() > ROUNDED {
        let message = format!("{rate} is not the mean rate of the opportunities, {mean:.0}bps");
        return refuse("rate", message);
    }
    Ok(())
}
