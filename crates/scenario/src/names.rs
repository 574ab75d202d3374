//! Names that users give: of cases and nodes. They stand in tables, also in those that spreadsheets read.

use crate::input_error::InputError;

/// Letters at which a spreadsheet begins a formula, also as East Asian keyboards write them.
const FORMULA_STARTS: &[char] = &['=', '+', '@', '＝', '＋', '＠'];

/// Refuses a name that is not one line of visible text, or that a spreadsheet would take for a formula, also one that
/// divides lines into cells at semicolons.
pub(crate) fn check_name(path: impl Into<String>, name: &str) -> Result<(), InputError> {
    let message = if name.trim().is_empty() {
        "is empty: give a text, or leave it out".to_owned()
    } else if name.contains(is_control_character) {
        format!("{name:?} is not one line of visible text")
    } else if name.split(';').any(is_formula) {
        format!(
            "{name:?} could be taken for a formula in a spreadsheet; begin with a letter or a digit"
        )
    } else {
        return Ok(());
    };
    Err(InputError::new(path, message))
}

/// True if a terminal or a page obeys a character instead of showing it: controls, breaks of lines, formats.
///
/// `visible` of `python/airtcp/terminal.py` has the same characters.
fn is_control_character(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{feff}')
        || matches!(letter, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(letter, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Operators and brackets of a formula, also as East Asian keyboards write them.
const FORMULA_OPERATORS: &[char] = &[
    '+', '*', '/', '^', '&', '=', '<', '>', '|', '!', '"', ';', ':', '(', ')', '[', ']', '{', '}',
    '＋', '＝', '（', '）',
];

/// True if a spreadsheet reads a cell as a formula. A minus before words begins no formula, as in "-20 dB, no ARQ" or
/// "- none -".
fn is_formula(name: &str) -> bool {
    let name = name.trim_start();
    name.starts_with(FORMULA_STARTS)
        || name.strip_prefix(['-', '－']).is_some_and(|rest| !is_number_and_words(rest))
}

/// True if the text after a minus is a number and words, or words between dashes, without operator or bracket.
fn is_number_and_words(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number =
        text[..text.len() - rest.len()].parse::<f64>().is_ok() && !starts_with_subtraction(rest);
    let is_dashed = text.trim_end().strip_suffix(" -").is_some_and(is_plain_words);
    (is_number || is_dashed) && !text.contains(FORMULA_OPERATORS)
}

/// True if words stand apart from the dash before them, and have no dash of their own.
fn is_plain_words(words: &str) -> bool {
    words.starts_with(' ') && !words.trim().is_empty() && !words.contains(['-', '－', '@', '＠'])
}

/// True if a minus follows a number, its per cent sign or its exponent.
fn starts_with_subtraction(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '%']);
    let rest = if rest.starts_with(['e', 'E']) { &rest[1..] } else { rest };
    rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with(['-', '－'])
}
#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_that_begin_a_formula_are_refused() {
        for name in [
            "=1+1",
            "+1",
            "@SUM(1)",
            " =1",
            "＝1",
            "-A1",
            "-1+1",
            "-(1)",
            "--1",
            "-",
            "-1;=1",
            "0;=1+1",
            "a; @b",
            "-1 -A1",
            "-1 +1",
            "- A1(2)",
            "-20 dB, =1",
            "-20 dB|x!A1",
            "-1-1",
            "- ",
        ] {
            assert!(check_name("case[0].name", name).is_err(), "{name}");
        }
        for name in [
            "a=b",
            "1+1",
            "x@y",
            "-20 dB",
            "-20dB",
            "-0.5",
            "-5 %",
            "a-b",
            "-20 dB, no ARQ",
            "-3 dB SNR",
            "- none -",
            "é",
            "cost $5",
        ] {
            assert!(check_name("case[0].name", name).is_ok(), "{name}");
        }
    }

    #[test]
    fn names_of_more_than_one_visible_line_are_refused() {
        for name in
            ["", " ", "\t", "a\tb", "a\nb", "\u{1b}[2J", "\u{9b}2J", "a\u{202e}b", "a\u{2028}b"]
        {
            assert!(check_name("path.hop[0].near", name).is_err(), "{name:?}");
        }
        assert!(check_name("path.hop[0].near", "\u{645}\u{6cc}\u{200c}\u{62e}").is_ok());
    }
}
