//! Reads scripts that lie outside the project: `AIRTCP_PACKETDRILL=folder cargo test -p airtcp-packetdrill
//! --test corpus -- --nocapture` lists what is refused and why. Without the variable nothing is read, for
//! these scripts (GPL-2.0) are not part of the project.

use airtcp_packetdrill::{Definitions, Script};
use std::path::{Path, PathBuf};

fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => scripts(&path, found),
            Some(end) if end == "pkt" => found.push(path),
            _ => {}
        }
    }
}

#[test]
#[allow(clippy::disallowed_methods)]
fn scripts_of_a_folder_are_understood_or_refused_in_one_line() {
    let Ok(folder) = std::env::var("AIRTCP_PACKETDRILL") else { return };
    let mut found = vec![];
    scripts(Path::new(&folder), &mut found);
    found.sort();
    assert!(!found.is_empty(), "{folder} has no .pkt");
    let mut refused = 0;
    for path in &found {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        if let Err(refusal) = Script::parse(&name, &text, &Definitions::of_linux_selftests()) {
            println!("{refusal}");
            assert!(!refusal.to_string().contains('\n'));
            refused += 1;
        }
    }
    println!("{} scripts, {refused} refused", found.len());
}
