//! The settings that the shell commands of scripts make, recognised by their pattern; nothing is run.
//!
//! `sysctl -q net.ipv4.tcp_ecn=1`, `set_sysctls.py /proc/sys/net/ipv4/tcp_ecn=1`, `defaults.sh` (the settings of
//! [`standard()`], not the file), `echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect`, `tc qdisc replace dev tun0
//! root pfifo limit 0`, `ip route …`, `ip link set dev tun0 mtu 9000`, `ethtool -K tun0 tso off`, `ip tcp_metrics
//! flush`. Commands that clean up have no effect. Two kinds of question are understood: `grep " 0A " /proc/net/tcp |
//! grep ":1F90"` asks for a listening socket, and `nstat | grep TcpExtBeyondWindow | grep -q " 3 "` for the value of a
//! counter since the last `nstat` that was not `nstat -s`.

mod commands;
mod orders;
mod questions;
mod shell;
mod standard;

pub(crate) use orders::{CommandOrders, CounterQuestion, LISTENING};
pub use orders::{Queue, SettingChange};
pub use standard::standard;

/// The changes and questions of a script's commands, in their order; the error has the place and the reason.
pub(crate) fn orders(text: &str) -> Result<CommandOrders, (usize, String)> {
    let mut orders = CommandOrders::default();
    for command in shell::commands(text)? {
        let stages: Vec<Vec<&str>> =
            command.stages.iter().map(|stage| stage.iter().map(String::as_str).collect()).collect();
        let wrong = |message| (command.at, message);
        if let Some(question) = questions::question(&stages).map_err(wrong)? {
            orders.questions.push(question);
            continue;
        }
        let first = stages.first().map(Vec::as_slice).unwrap_or_default();
        orders
            .changes
            .extend(commands::changes_of_command(first, command.into.as_deref()).map_err(wrong)?);
    }
    Ok(orders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sysctl(name: &str, value: &str) -> SettingChange {
        SettingChange::Sysctl(name.into(), value.into())
    }

    #[test]
    fn settings_are_understood_by_their_pattern() {
        let text = "../common/defaults.sh\n\
            sysctl -q net.ipv4.tcp_ecn=1  # fully\n\
            sysctl -e -q net/ipv4/tcp_rmem=\"4096 131072 $((32*1024*1024))\" > /dev/null 2>&1\n\
            ./set_sysctls.py /proc/sys/net/ipv4/tcp_a=1 \\\n  /proc/sys/net/ipv4/tcp_b=2\n\
            echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect; ip tcp_metrics flush all\n\
            tc qdisc replace dev tun0 root pfifo limit 0 && ip link set dev tun0 mtu 9000\n\
            ip route change 192.0.2.1/24 via 192.168.0.1 dev tun0 initcwnd 3 quickack 1\n\
            ethtool -K tun0 tso off gso off\nnstat -n\n/tmp/sysctl_restore_${PPID}.sh";
        let found = orders(text).unwrap();
        let after = &found.changes[standard().len()..];
        let wanted = [
            sysctl("net.ipv4.tcp_ecn", "1"),
            sysctl("net.ipv4.tcp_rmem", "4096 131072 33554432"),
            sysctl("net.ipv4.tcp_a", "1"),
            sysctl("net.ipv4.tcp_b", "2"),
            SettingChange::Module("tcp_cubic".into(), "hystart_detect".into(), "3".into()),
            SettingChange::ForgetMetrics,
            SettingChange::Queue(Queue::Fifo { limit: Some(0) }),
            SettingChange::Mtu(9000),
            SettingChange::Route("initcwnd".into(), "3".into()),
            SettingChange::Route("quickack".into(), "1".into()),
            SettingChange::Offload("tso".into(), false),
            SettingChange::Offload("gso".into(), false),
        ];
        assert_eq!(after, wanted);
    }

    #[test]
    fn counters_are_asked_for() {
        let found = orders(
            "nstat -n; nstat -s | grep TcpExtA| grep -q \" 2 \"\nnstat | grep TcpExtB > /dev/null",
        );
        let question = |counter: Option<&str>, wanted, anew| CounterQuestion {
            counter: counter.map(str::to_owned),
            expected: wanted,
            restarts_count: anew,
        };
        let wanted = [
            question(None, None, true),
            question(Some("TcpExtA"), Some(2), false),
            question(Some("TcpExtB"), None, true),
        ];
        assert_eq!(found.unwrap().questions, wanted);
    }

    #[test]
    fn everything_else_is_refused_by_name() {
        for text in [
            "rm -rf x",
            "ls | grep TcpExt",
            "nstat | wc",
            "nstat | grep X | grep -q Y",
            "a | b || c",
            "sysctl net.ipv4.tcp_ecn",
            "echo $(date)",
            "echo 1 > /etc/passwd",
            "sysctl -q a=\"b",
            "tc qdisc add dev tun0 root netem delay 10ms",
            "FOO=1",
        ] {
            let (_, message) = orders(text).unwrap_err();
            assert!(!message.is_empty() && !message.contains('\n'), "{text}: {message}");
        }
    }
}
