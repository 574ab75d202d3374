//! A time as a file has it: a number of seconds or parts of them, or a date.

/// In nanoseconds.
const THREE_YEARS: i128 = 100_000_000_000_000_000;

/// Nanoseconds of a date, since 1970, or of a number of which 10 to the power `digits` make a second.
pub(super) fn nanos(cell: &str, digits: u32) -> Option<i128> {
    if is_date(cell) { date(cell) } else { number(cell, digits) }
}

fn number(cell: &str, digits: u32) -> Option<i128> {
    let (whole, part) = cell.split_once('.').unwrap_or((cell, ""));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 20 || !is_plain(whole) || !is_plain(part) {
        let nanos = cell.parse::<f64>().ok()? * 1e9 / f64::from(10_u32.pow(digits));
        return nanos.is_finite().then(|| nanos.round() as i128);
    }
    let places = 9 - digits as usize;
    let (kept, rest) = part.split_at(part.len().min(places));
    let mut nanos: i128 = whole.parse().ok()?;
    for i in 0..places {
        let digit = kept.as_bytes().get(i).map_or(0, |digit| i128::from(digit - b'0'));
        nanos = 10 * nanos + digit;
    }
    Some(nanos + i128::from(rest.bytes().next().is_some_and(|digit| digit >= b'5')))
}

/// Says that a time counts from 1970: a date, or a number of three years or more, longer than any run.
pub(super) fn is_since_1970(cell: &str, digits: u32) -> bool {
    is_date(cell) || number(cell, digits).is_some_and(|nanos| nanos >= THREE_YEARS)
}

/// Whether `cell` looks like a date: a year, and something other than a number behind it.
pub(super) fn is_date(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    bytes.len() > 7
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && matches!(bytes[4], b'-' | b'/' | b'.')
        && bytes[5..].iter().any(|byte| matches!(byte, b'-' | b'/' | b':' | b'_' | b'.'))
}

/// Year, month, day, hour, minute and second, with anything between them, and parts of a second behind a point.
fn date(cell: &str) -> Option<i128> {
    let mut fields = [0_i128; 6];
    let mut rest = cell;
    for field in &mut fields {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        *field = rest[..end].parse().ok()?;
        rest = &rest[end..];
    }
    let part = rest.strip_prefix('.').unwrap_or_default();
    let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
    let within = number(&format!("0.{}", &part[..end]), 0)?;
    let [year, month, day, hour, minute, second] = fields;
    let fits = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    fits.then(|| seconds * 1_000_000_000 + within)
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, counted in years that begin in March.
fn days(year: i128, month: i128, day: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let since_march = (month + 9) % 12;
    let before = (153 * since_march + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + before - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_nanoseconds() {
        assert_eq!(nanos("0.1", 0), Some(100_000_000));
        assert_eq!(nanos("1453120782.686", 0), Some(1_453_120_782_686_000_000));
        assert_eq!(nanos("1453120782686", 3), Some(1_453_120_782_686_000_000));
        assert_eq!(nanos("7.5", 9), Some(8));
        assert_eq!(nanos("1e-3", 0), Some(1_000_000));
        for text in ["", "-", "nan", "inf", "1.2.3", "x"] {
            assert_eq!(nanos(text, 0), None, "{text}");
        }
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        let second = 1_000_000_000;
        assert_eq!(nanos("1970.01.01_00.00.01", 0), Some(second));
        assert_eq!(nanos("2000-03-01T00:00:00Z", 0), Some(951_868_800 * second));
        assert_eq!(nanos("2019.12.14_10.16.30", 0), Some(1_576_318_590 * second));
        let part = nanos("2022-05-13 04:31:22.250", 0).unwrap() % second;
        assert_eq!(part, 250_000_000);
        for text in ["2019-13-01 00:00:00", "2019-12-01", "2019-12-01 25:00:00"] {
            assert_eq!(nanos(text, 0), None, "{text}");
        }
    }
}
