//! The player, judged on hosts that do exactly what a test prescribes.

mod calls;
pub(crate) mod corpus;
mod fake;
mod live;
mod mutations;
mod packets;
mod settings;
mod times;

use airtcp_packetdrill::{Definitions, Host, Report, Script, Verdict, play};

pub(crate) fn script(text: &str) -> Script {
    Script::parse("t.pkt", text, &Definitions::default())
        .unwrap_or_else(|refusal| panic!("{refusal}"))
}

pub(crate) fn report(text: &str, host: &mut dyn Host) -> Report {
    play(&script(text), host)
}

pub(crate) fn passes(text: &str, host: &mut dyn Host) {
    let report = report(text, host);
    assert_eq!(report.verdict, Verdict::Passes, "{text}");
}

/// The failure of a script in one line.
pub(crate) fn failure(text: &str, host: &mut dyn Host) -> String {
    match report(text, host).verdict {
        Verdict::Fails(failure) => {
            let line = failure.to_string();
            assert!(!line.contains('\n'), "{line}");
            line
        }
        other => panic!("{other:?}\n{text}"),
    }
}
