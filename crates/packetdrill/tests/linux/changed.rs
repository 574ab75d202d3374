//! A sender with one rule changed fails at least one of our scripts.

use airtcp_core::Cancel;
use airtcp_linux::sender::RuleChanges;
use airtcp_packetdrill::{Definitions, Script, Verdict, play_with_rule_changes};
use std::path::Path;

/// Our scripts that fail under a change.
#[expect(clippy::disallowed_methods, reason = "scripts lie in files")]
fn failing(changed: RuleChanges) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/packetdrill");
    let mut scripts = vec![];
    super::find(&folder, &mut scripts);
    let fails = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let script = Script::parse(&name, &text, &Definitions::of_linux_selftests()).unwrap();
        let verdict = play_with_rule_changes(&script, &Cancel::new(), changed).unwrap().verdict;
        matches!(verdict, Verdict::Fails(_)).then_some(name)
    };
    scripts.iter().filter_map(fails).collect()
}

#[test]
fn a_sender_that_does_not_keep_a_rule_is_found_out() {
    let none = RuleChanges::default();
    assert_eq!(failing(none), [""; 0]);
    for changed in [
        RuleChanges { no_prr: true, ..none },
        RuleChanges { double_window: true, ..none },
        RuleChanges { no_undo: true, ..none },
    ] {
        let found = failing(changed);
        println!("{changed:?}: {found:?}");
        assert!(!found.is_empty(), "{changed:?} is not found out");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "scripts lie in files")]
fn a_slow_start_without_hystart_is_found_out() {
    let name = "../../tests/packetdrill/hystart_ends.pkt";
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let off = text.replace("echo 2 > /sys/module", "echo 0 > /sys/module");
    assert_ne!(off, text);
    let script = Script::parse("t.pkt", &off, &Definitions::default()).unwrap();
    let verdict =
        play_with_rule_changes(&script, &Cancel::new(), RuleChanges::default()).unwrap().verdict;
    assert!(matches!(verdict, Verdict::Fails(_)), "{verdict:?}");
}
