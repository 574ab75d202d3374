//! Lists the files of link profiles, so that a new one is one new file.

use std::fmt::Write as _;
use std::path::Path;

#[expect(clippy::disallowed_methods, reason = "cargo says it by variables")]
fn main() {
    let of = |name: &str| std::env::var(name).expect("cargo sets it");
    let folder = Path::new(&of("CARGO_MANIFEST_DIR")).join("links");
    println!("cargo::rerun-if-changed=links");
    println!("cargo::rerun-if-changed=build.rs");
    let entries = std::fs::read_dir(&folder).expect("the folder of link profiles");
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    let mut files: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name in UTF-8");
        writeln!(list, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .expect("a text takes it");
    }
    list.push_str("]\n");
    std::fs::write(Path::new(&of("OUT_DIR")).join("links.rs"), list).expect("the list is written");
}
