//! Scripts on the TCP of Linux: our own in `tests/packetdrill`, and those of a folder that
//! `AIRTCP_PACKETDRILL` names.

use crate::play::corpus::find;
use airtcp_core::Cancel;
use airtcp_packetdrill::{Definitions, Script, Verdict, play_on_linux};
use std::path::{Path, PathBuf};

mod changed;
mod options;
mod refusals;

/// The scripts of a folder that do not pass, with a line each; and how many there are.
#[expect(clippy::disallowed_methods, reason = "scripts lie in files")]
fn failing(folder: &Path) -> (usize, Vec<String>) {
    let mut scripts = vec![];
    find(folder, &mut scripts);
    scripts.sort();
    let verdict = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        match Script::parse(&name, &text, &Definitions::of_linux_selftests()) {
            Err(refusal) => Some(refusal.to_string()),
            Ok(script) => match play_on_linux(&script, &Cancel::new()).unwrap().verdict {
                Verdict::Passes => None,
                Verdict::Fails(failure) => Some(format!("{name}: {failure}")),
                Verdict::Refused(refusal) => Some(refusal.to_string()),
            },
        }
    };
    (scripts.len(), scripts.iter().filter_map(verdict).collect())
}

#[test]
fn our_scripts_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/packetdrill");
    let (scripts, failing) = failing(&folder);
    assert!(scripts >= 12);
    assert!(failing.is_empty(), "{}", failing.join("\n"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "where they lie is the caller's")]
fn scripts_of_a_folder_pass() {
    let Ok(folder) = std::env::var("AIRTCP_PACKETDRILL") else { return };
    let (scripts, failing) = failing(Path::new(&folder));
    println!("{} of {scripts} pass", scripts - failing.len());
    assert!(failing.is_empty(), "{}", failing.join("\n"));
}
