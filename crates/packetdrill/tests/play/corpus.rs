//! Reads scripts that lie outside the project: `AIRTCP_PACKETDRILL=folder cargo test -p airtcp-packetdrill
//! --test all corpus -- --nocapture` lists the refused scripts with the reasons, and the places where our
//! own stack departs from the others. Without the variable nothing is read, since these scripts (GPL-2.0)
//! are not part of the project.

use super::live::Live;
use airtcp_packetdrill::{Definitions, Script, Verdict, play};
use std::path::{Path, PathBuf};

/// Collects the scripts of a folder and of those in it.
pub(crate) fn find(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => find(&path, paths),
            Some(end) if end == "pkt" => paths.push(path),
            _ => {}
        }
    }
}

/// Name and text of each script of the folder; none without the variable.
#[expect(clippy::disallowed_methods, reason = "where they lie is the caller's")]
pub(crate) fn scripts() -> Vec<(String, String)> {
    let Ok(folder) = std::env::var("AIRTCP_PACKETDRILL") else { return vec![] };
    let mut paths = vec![];
    find(Path::new(&folder), &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "{folder} has no .pkt");
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn scripts_of_a_folder_are_understood_or_refused_in_one_line() {
    let (mut number, mut refused, mut passed) = (0, 0, 0);
    for (name, text) in scripts() {
        number += 1;
        match Script::parse(&name, &text, &Definitions::of_linux_selftests()) {
            Err(refusal) => {
                println!("{refusal}");
                assert!(!refusal.to_string().contains('\n'));
                refused += 1;
            }
            Ok(script) => match play(&script, &mut Live::new()).verdict {
                Verdict::Passes => passed += 1,
                Verdict::Fails(failure) => println!("{name}: {failure}"),
                Verdict::Refused(refusal) => println!("{refusal}"),
            },
        }
    }
    println!("{number} scripts, {refused} refused, {passed} pass on the stack of airtcp-live");
}
