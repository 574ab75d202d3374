//! The texts of refusals.

use airtcp_scenario::points;
use serde_json::Value;

/// Each document is refused in one line that begins as expected.
pub(crate) fn check(cases: &[(Value, &str)]) {
    for (document, expected) in cases {
        let line = points(document).unwrap_err().to_string();
        assert!(line.starts_with(expected), "{line}\n  expected {expected}");
        assert!(!line.contains('\n'));
    }
}
