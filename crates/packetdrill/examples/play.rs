//! Plays the scripts of folders on the TCP of Linux; prints a verdict for each script, and the sums
//! for each folder.
//!
//! `cargo run -q -p airtcp-packetdrill --example play -- FOLDER…`

use airtcp_core::Cancel;
use airtcp_packetdrill::{Definitions, Script, Verdict, play_on_linux};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn find(place: &Path, paths: &mut Vec<PathBuf>) {
    if !place.is_dir() {
        paths.push(place.to_owned());
        return;
    }
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() || path.extension().is_some_and(|end| end == "pkt") {
            find(&path, paths);
        }
    }
}

/// The number of the verdict (0 passes, 1 fails, 2 refused), and the line that gives the reason.
fn verdict(name: &str, text: &str) -> (usize, String) {
    let script = match Script::parse(name, text, &Definitions::of_linux_selftests()) {
        Ok(script) => script,
        Err(refusal) => return (2, format!("refused: {refusal}")),
    };
    let report = play_on_linux(&script, &Cancel::default()).expect("nobody asks for the end");
    report.printed.iter().for_each(|line| println!("    {line}"));
    match report.verdict {
        Verdict::Passes => (0, "passes".into()),
        Verdict::Fails(failure) => (1, failure.to_string()),
        Verdict::Refused(refusal) => (2, format!("refused: {refusal}")),
    }
}

#[expect(clippy::disallowed_methods, reason = "the folders are the caller's")]
fn main() {
    let mut paths = vec![];
    std::env::args().skip(1).for_each(|place| find(Path::new(&place), &mut paths));
    paths.sort();
    let mut families: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for path in paths {
        let last = |path: Option<&Path>| {
            path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
        };
        let (family, name) = (last(path.parent()), last(Some(&path)));
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let (kind, line) = verdict(&name, &text);
        families.entry(family.clone()).or_default()[kind] += 1;
        println!("{family}/{name}: {line}");
    }
    println!("\n{:<20} passes  fails  refused", "family");
    for (family, [passes, fails, refused]) in families {
        println!("{family:<20} {passes:>6} {fails:>6} {refused:>8}");
    }
}
