//! Replays captures: `cargo run -p airtcp-replay --example explain -- [-v] [-dry] [-nN] [-cCONTROL|-cname] FILE...`

use airtcp_core::Cancel;
use airtcp_replay::{UserFacts, explain};

fn main() {
    let (mut facts, mut verbose, mut by_name) =
        (UserFacts { differences: 1, ..UserFacts::default() }, false, false);
    let (mut all, mut whole, cancel) = (0, 0, Cancel::new());
    for argument in std::env::args().skip(1) {
        if let Some(number) = argument.strip_prefix("-n") {
            facts.differences = number.parse().expect("-nN: a number");
        } else if let Some(name) = argument.strip_prefix("-c") {
            by_name = name == "name";
            facts.control = (!by_name).then(|| name.to_owned());
        } else if argument == "-dry" {
            cancel.set();
        } else if argument == "-v" {
            verbose = true;
        } else {
            if by_name {
                let named = ["cubic", "reno", "bbr"]
                    .into_iter()
                    .find(|word| argument.contains(&format!("-{word}")));
                facts.control = named.map(str::to_owned);
            }
            let agrees = explain_file(&argument, &facts, verbose, &cancel);
            all += usize::from(agrees.is_some());
            whole += usize::from(agrees == Some(true));
        }
    }
    println!("{whole} of {all}");
}

/// Explains one file and says if it agrees with our sender; `None` if it is refused.
fn explain_file(file: &str, facts: &UserFacts, verbose: bool, cancel: &Cancel) -> Option<bool> {
    let bytes = std::fs::read(file).expect("a file that can be read");
    let explained = match explain(&bytes, facts, cancel) {
        Ok(found) => found,
        Err(why) => {
            println!("{file}: REFUSED {why}");
            return None;
        }
    };
    let v = &explained.verdict;
    println!(
        "{file}: {} {} {}/{} unjudged {} differences {} aligned {} early {:.3} late {:.3} ms",
        if v.agrees() { "OK" } else { "DIFF" },
        explained.control,
        v.explained,
        v.segments,
        v.unjudged,
        v.differences.len(),
        v.trials_adopted,
        v.earliest as f64 / 1e6,
        v.latest as f64 / 1e6,
    );
    println!("    taken {}", v.place.description());
    v.against_linux.iter().for_each(|why| println!("    not Linux: {why}"));
    for artefact in &v.artefacts {
        println!("    artefact {}: {}", artefact.name(), artefact.text());
    }
    if verbose {
        v.assumptions.iter().for_each(|line| println!("    assumed: {line}"));
        v.differences.iter().for_each(|difference| println!("    {}", difference.text()));
    }
    Some(v.agrees())
}
