//! Settings of the machine, and their changes by ICMP.

use super::packets::REMOTE;
use crate::options::{IpVersion, Options};
use crate::packet::Icmp;
use crate::refusal::{shown, suggestion};
use crate::settings::{Queue, SettingChange};
use airtcp_linux::connection::Route;
use airtcp_linux::fast_open::Addresses;
use airtcp_linux::host::{Host, PortPair};
use airtcp_linux::receiver::BufferMemory;
use airtcp_linux::{Sysctl, TimeInUnits};
use std::net::IpAddr;

/// Settings without an effect on scripts of TCP that use neither Accurate ECN nor SYN cookies.
const WITHOUT_EFFECT: &[&str] = &[
    "tcp_fack",
    "tcp_ecn_option",
    "tcp_ecn_option_beacon",
    "tcp_fastopen_blackhole_timeout_sec",
    "tcp_syncookies",
    "tcp_max_syn_backlog",
    "tcp_mem",
    "tcp_low_latency",
    "tcp_available_congestion_control",
    "tcp_allowed_congestion_control",
    "tcp_child_ehash_entries",
    "tcp_rfc1337",
    "tcp_stdurg",
    "tcp_abort_on_overflow",
    "tcp_challenge_ack_limit",
    "tcp_min_snd_mss",
    "tcp_base_mss",
    "tcp_workaround_signed_windows",
    "ip_local_port_range",
    "ip_no_pmtu_disc",
    "somaxconn",
    "netdev_max_backlog",
    "default_qdisc",
    "rmem_default",
    "wmem_default",
    "optmem_max",
];

/// Settings of which this host supports only some values: name, and supported values.
const ALLOWED_VALUES: &[(&str, &[&str])] = &[
    ("tcp_ecn", &["0", "1", "2"]),
    ("tcp_shrink_window", &["0"]),
    ("tcp_congestion_control", airtcp_linux::congestion::KERNEL_NAMES),
];

/// The name of a setting without its prefix.
fn short_name(name: &str) -> &str {
    ["net.ipv4.", "net.core."].iter().find_map(|place| name.strip_prefix(place)).unwrap_or(name)
}

fn sysctl(settings: &mut Sysctl, name: &str, value: &str) -> Result<(), String> {
    let name = short_name(name);
    if let Some((_, allowed)) = ALLOWED_VALUES.iter().find(|(limited, _)| *limited == name)
        && !allowed.contains(&value)
    {
        let (known, value_shown) = (allowed.join(", "), shown(value));
        let of_draft = airtcp_linux::congestion::DRAFT_NAMES.contains(&value);
        let why = if of_draft { " (it is a draft's, and no kernel has it)" } else { "" };
        return Err(format!(
            "{name}: this host does not support {value_shown}{why}; supported: {known}"
        ));
    }
    if WITHOUT_EFFECT.contains(&name) {
        return Ok(());
    }
    settings.set(name, value).map_err(|wrong| {
        wrong.unwrap_or_else(|| {
            let near = suggestion(name, Sysctl::NAMES);
            format!("this host has no setting {}{near}", shown(name))
        })
    })
}

/// Checks that this host supports all these settings.
pub(super) fn check_changes(changes: &[SettingChange]) -> Result<(), String> {
    let mut settings = Sysctl::default();
    changes.iter().try_for_each(|change| apply_change(change, &mut settings, &mut Route::default()))
}

/// Changes a setting or the route; the queue is changed elsewhere.
fn apply_change(
    change: &SettingChange,
    settings: &mut Sysctl,
    route: &mut Route,
) -> Result<(), String> {
    match change {
        SettingChange::Sysctl(name, value) => sysctl(settings, name, value),
        SettingChange::Module(module, parameter, value) => {
            module_parameter(settings, module, parameter, value)
        }
        SettingChange::Queue(queue) => {
            route.fq = *queue == Queue::Fq;
            match queue {
                Queue::Fifo { limit: Some(limit @ 1..=999) } => Err(format!(
                    "pfifo limit {limit} is not supported: give 0 (every send fails), or 1000 or more \
                         (the queue never fills)"
                )),
                _ => Ok(()),
            }
        }
        SettingChange::Route(attribute, value) => set_attribute(route, settings, attribute, value),
        SettingChange::Mtu(mtu) => {
            route.mtu = *mtu;
            Ok(())
        }
        SettingChange::Offload(..) | SettingChange::ForgetMetrics => Ok(()),
    }
}

fn module_parameter(
    settings: &mut Sysctl,
    module: &str,
    parameter: &str,
    value: &str,
) -> Result<(), String> {
    if module != "tcp_cubic" {
        return Err(format!("this host does not support parameters of module {}", shown(module)));
    }
    let number = value.trim().parse::<u32>();
    let number = number.map_err(|_| format!("{parameter} is a number, not {}", shown(value)))?;
    if matches!(parameter, "hystart_detect" | "hystart") {
        return settings.set(parameter, value).map_err(|_| format!("{parameter} is a number"));
    }
    match CUBIC.iter().find(|(name, _)| *name == parameter) {
        None => {
            let names: Vec<&str> = CUBIC.iter().map(|(name, _)| *name).collect();
            Err(format!(
                "tcp_cubic has no parameter {}{}",
                shown(parameter),
                suggestion(parameter, &names)
            ))
        }
        Some((_, default)) if *default == number => Ok(()),
        Some((name, default)) => {
            Err(format!("this host has {name} = {default} only, not {number}"))
        }
    }
}

/// Parameters of tcp_cubic; for all but the first two this host supports only these values.
const CUBIC: &[(&str, u32)] = &[
    ("hystart_detect", 3),
    ("hystart", 1),
    ("hystart_low_window", 16),
    ("hystart_ack_delta_us", 2000),
    ("fast_convergence", 1),
    ("tcp_friendliness", 1),
    ("beta", 717),
    ("bic_scale", 41),
    ("initial_ssthresh", 0),
];

fn set_attribute(
    route: &mut Route,
    settings: &mut Sysctl,
    name: &str,
    value: &str,
) -> Result<(), String> {
    let number = || {
        let digits = value.trim_end_matches("ms");
        digits.parse::<u32>().map_err(|_| format!("{name} is a number, not {}", shown(value)))
    };
    match name {
        "initcwnd" => route.initial_window = number()?.max(1),
        "quickack" => route.quickack = number()? != 0,
        "mtu" => route.mtu = number()?,
        "rto_min" => settings.tcp_rto_min_us = u64::from(number()?) * 1000,
        "hoplimit" => route.hop_limit = number()?.min(255) as u8,
        "fastopen_no_cookie" => route.no_cookie = number()? != 0,
        _ => {
            return Err(format!(
                "this host's route has no {name}; known: fastopen_no_cookie, hoplimit, initcwnd, mtu, \
                 quickack, rto_min"
            ));
        }
    }
    Ok(())
}

/// The addresses in the script's options, by default packetdrill's.
fn addresses(options: &Options) -> Addresses {
    let (local, remote) = options.addresses();
    match (remote, local) {
        (IpAddr::V6(remote), IpAddr::V6(local)) => {
            Addresses::V6 { remote: remote.octets(), local: local.octets() }
        }
        (IpAddr::V4(remote), IpAddr::V4(local)) => {
            Addresses::V4 { remote: remote.to_bits(), local: local.to_bits() }
        }
        _ => unreachable!("both are of the script's version"),
    }
}

pub(super) fn configure(
    host: &mut Host,
    options: &Options,
    changes: &[SettingChange],
) -> Result<(), String> {
    let environment = host.environment();
    if let Some(mtu) = options.mtu {
        environment.route.mtu = mtu;
    }
    if options.mss.is_some() {
        environment.route.memory = BufferMemory::Merged;
    }
    environment.route.addresses = Some(addresses(options));
    environment.route.ip_header = if options.ip_version == IpVersion::V6 { 40 } else { 20 };
    for change in changes {
        apply_change(change, &mut environment.sysctl, &mut environment.route)?;
    }
    for change in changes {
        match change {
            SettingChange::Queue(queue) => {
                host.set_local_drop(matches!(queue, Queue::Fifo { limit: Some(0) }));
            }
            SettingChange::ForgetMetrics => host.clear_server_cache(),
            _ => {}
        }
    }
    Ok(())
}

/// Handles a message of ICMP: a route that takes only smaller packets reports its MTU.
pub(super) fn icmp(host: &mut Host, now: TimeInUnits, message: &Icmp) -> Result<(), String> {
    match (message.kind.as_str(), message.code.as_deref(), message.mtu) {
        ("unreachable", Some("frag_needed"), Some(mtu)) => {
            let Icmp { local, remote, .. } = *message;
            let pair = PortPair { local, address: REMOTE, remote };
            host.on_mtu(now, pair, message.sequence, mtu);
            Ok(())
        }
        (kind, code, _) => Err(format!(
            "this host takes no ICMP of {kind} {}; known: unreachable frag_needed",
            code.unwrap_or("")
        )),
    }
}
