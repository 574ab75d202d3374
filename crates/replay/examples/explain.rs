//! Replays captures: `cargo run -p airtcp-replay --example explain -- [-v] FILE...`

use airtcp_replay::{About, Setup, Trace, busiest, replay};

fn main() {
    let mut verbose = false;
    let (mut all, mut whole) = (0, 0);
    let most: usize = std::env::args()
        .find_map(|a| a.strip_prefix("-n").map(|n| n.parse().unwrap()))
        .unwrap_or(1);
    for file in std::env::args().skip(1) {
        if file.starts_with("-n") {
            continue;
        }
        if file == "-v" {
            verbose = true;
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        let name = file.rsplit('/').next().unwrap();
        let group = file.rsplit('/').nth(1).unwrap_or("");
        let found = std::panic::catch_unwind(|| {
            let connection = busiest(&bytes)?;
            let trace = Trace::of(&connection)?;
            let about = connection.comment.as_deref().and_then(About::parse);
            let setup =
                Setup::of(&trace, about.as_ref()).map_err(airtcp_replay::Refusal::Content)?;
            Ok::<_, airtcp_replay::Refusal>(replay(
                &trace,
                &setup,
                most,
                &airtcp_core::Cancel::new(),
            ))
        });
        let Ok(found) = found else {
            println!("{group}/{name}: PANIC");
            all += 1;
            continue;
        };
        match found {
            Err(why) => println!("{group}/{name}: {why}"),
            Ok(v) => {
                all += 1;
                whole += usize::from(v.agrees());
                println!(
                    "{group}/{name}: {} {}/{} differences {} aligned {} early {:.3} ms late {:.3} ms phase {:.3}{}",
                    if v.agrees() { "OK" } else { "DIFF" },
                    v.explained,
                    v.segments,
                    v.differences.len(),
                    v.aligned,
                    v.earliest as f64 / 1e6,
                    v.latest as f64 / 1e6,
                    v.phase as f64 / 1e6,
                    if v.inferred { " inferred" } else { "" }
                );
                if verbose {
                    for d in &v.differences {
                        println!("    {}", d.text());
                    }
                }
            }
        }
    }
    println!("{whole} of {all}");
}
