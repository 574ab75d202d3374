//! A time as a file has it: a number of seconds or parts of them, or a date.

/// Some three years in nanoseconds.
const THREE_YEARS: i128 = 100_000_000_000_000_000;

/// Nanoseconds of a date, since 1970, or of a number in units of which 10 to the power `digits` make a second.
pub(super) fn parse_nanos(cell: &str, digits: u32) -> Option<i128> {
    if is_date(cell) { parse_date(cell).ok() } else { parse_number(cell, digits) }
}

/// The reason why a cell that looks like a date is none; nothing for other cells and for good dates.
pub(super) fn date_fault(cell: &str) -> Option<String> {
    is_date(cell).then(|| parse_date(cell).err()).flatten()
}

fn parse_number(cell: &str, digits: u32) -> Option<i128> {
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

/// True if a time counts from 1970: a date, or a number of at least three years, which is longer than any run.
pub(super) fn is_since_1970(cell: &str, digits: u32) -> bool {
    is_date(cell) || parse_number(cell, digits).is_some_and(|nanos| nanos >= THREE_YEARS)
}

/// True if `cell` looks like a date: a year, and something other than a number behind it.
pub(super) fn is_date(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    bytes.len() > 7
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && matches!(bytes[4], b'-' | b'/' | b'.')
        && bytes[5..].iter().any(|byte| matches!(byte, b'-' | b'/' | b':' | b'_' | b'.'))
}

/// Reads year, month, day, hour, minute and second, with anything between them, and parts of a second behind a point or
/// comma, as ISO 8601 has them.
fn parse_date(cell: &str) -> Result<i128, String> {
    let mut fields = [0_i128; 6];
    let mut rest = cell;
    for field in &mut fields {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        *field = rest[..end].parse().map_err(|_| INCOMPLETE)?;
        rest = &rest[end..];
    }
    let part = rest.strip_prefix(['.', ',']).unwrap_or_default();
    let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
    let within = parse_number(&format!("0.{}", &part[..end]), 0).ok_or(INCOMPLETE)?;
    let zone = if part.is_empty() { rest } else { &part[end..] };
    let seconds = seconds_since_1970(fields)? - 60 * minutes_ahead(zone.trim())?;
    Ok(seconds * 1_000_000_000 + within)
}

const INCOMPLETE: &str = "year, month, day, hour, minute and second, such as 2024-02-28T10:00:00Z";

/// Seconds from 1970 to a time of UTC.
fn seconds_since_1970([year, month, day, hour, minute, second]: [i128; 6]) -> Result<i128, String> {
    if !(1..=12).contains(&month) || hour >= 24 || minute >= 60 || second > 60 {
        return Err(INCOMPLETE.to_owned());
    }
    let first = days_since_1970(year, month, 1);
    let next = if month == 12 {
        days_since_1970(year + 1, 1, 1)
    } else {
        days_since_1970(year, month + 1, 1)
    };
    let length = next - first;
    if !(1..=length).contains(&day) {
        return Err(format!("month {month} of {year} has {length} days"));
    }
    Ok((((first + day - 1) * 24 + hour) * 60 + minute) * 60 + second)
}

/// The name of a zone that ends a date, such as CEST, other than UTC. No list here has its distance from UTC, which
/// does not matter as long as all rows have the same zone.
pub(super) fn zone_name(cell: &str) -> Option<&str> {
    let from = cell.rfind(|c: char| !c.is_ascii_uppercase())? + 1;
    let name = cell.get(from..).filter(|name| (3..=5).contains(&name.len()))?;
    (!UTC.contains(&name)).then_some(name)
}

const UTC: [&str; 4] = ["", "Z", "UTC", "GMT"];

/// Minutes by which a zone is ahead of UTC, or of the zone of all rows.
fn minutes_ahead(zone: &str) -> Result<i128, String> {
    if UTC.iter().any(|name| zone.eq_ignore_ascii_case(name))
        || zone_name(&format!(" {zone}")) == Some(zone)
    {
        return Ok(0);
    }
    let refused = || {
        format!(
            "{zone:?} is not a time zone (allowed: Z, hours ahead of UTC such as +01:00, or a name in capitals such as CET)"
        )
    };
    let (sign, ahead) = match zone.split_at_checked(1) {
        Some(("+", ahead)) => (1, ahead),
        Some(("-", ahead)) => (-1, ahead),
        _ => return Err(refused()),
    };
    let (hours, minutes) = hours_and_minutes(ahead).ok_or_else(refused)?;
    if hours > 23 || minutes > 59 { Err(refused()) } else { Ok(sign * (60 * hours + minutes)) }
}

/// Reads two digits of hours, and none or two of minutes, with or without a colon between them.
fn hours_and_minutes(ahead: &str) -> Option<(i128, i128)> {
    let (hours, rest) = ahead.split_at_checked(2)?;
    let minutes = rest.strip_prefix(':').unwrap_or(rest);
    let two_digits = |text: &str| {
        let is_plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| text.parse().ok()).flatten()
    };
    Some((two_digits(hours)?, if rest.is_empty() { 0 } else { two_digits(minutes)? }))
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, counted in years that begin in March.
fn days_since_1970(year: i128, month: i128, day: i128) -> i128 {
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
        assert_eq!(parse_nanos("0.1", 0), Some(100_000_000));
        assert_eq!(parse_nanos("1453120782.686", 0), Some(1_453_120_782_686_000_000));
        assert_eq!(parse_nanos("1453120782686", 3), Some(1_453_120_782_686_000_000));
        assert_eq!(parse_nanos("7.5", 9), Some(8));
        assert_eq!(parse_nanos("1e-3", 0), Some(1_000_000));
        for text in ["", "-", "nan", "inf", "1.2.3", "x"] {
            assert_eq!(parse_nanos(text, 0), None, "{text}");
        }
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        let second = 1_000_000_000;
        assert_eq!(parse_nanos("1970.01.01_00.00.01", 0), Some(second));
        assert_eq!(parse_nanos("2000-03-01T00:00:00Z", 0), Some(951_868_800 * second));
        assert_eq!(parse_nanos("2019.12.14_10.16.30", 0), Some(1_576_318_590 * second));
        let part = parse_nanos("2022-05-13 04:31:22.250", 0).unwrap() % second;
        assert_eq!(part, 250_000_000);
        let with_comma = parse_nanos("2022-05-13T04:31:22,250Z", 0).unwrap() % second;
        assert_eq!(with_comma, part);
        for (text, why) in [
            ("2019-13-01 00:00:00", "year, month, day"),
            ("2019-12-01", "year, month, day"),
            ("2019-12-01 25:00:00", "year, month, day"),
            ("2023-02-29 10:00:00", "month 2 of 2023 has 28 days"),
            ("2024-02-31 10:00:00", "month 2 of 2024 has 29 days"),
            ("2024-12-32 10:00:00", "month 12 of 2024 has 31 days"),
            ("2024-03-31 10:00:00.5 PM", "\"PM\" is not a time zone"),
            ("2024-03-31 10:00:00 +1", "\"+1\" is not a time zone"),
            ("2024-03-31 10:00:00 ago", "\"ago\" is not a time zone"),
            ("2024-03-31 10:00:00+-100", "\"+-100\" is not a time zone"),
            ("2024-03-31 10:00:00++100", "\"++100\" is not a time zone"),
            ("2024-03-31 10:00:00+:0100", "\"+:0100\" is not a time zone"),
            ("2024-03-31 10:00:00+0:100", "\"+0:100\" is not a time zone"),
            ("2024-03-31 10:00:00+01:", "\"+01:\" is not a time zone"),
            ("2024-03-31 10:00:00,5,5", "\",5\" is not a time zone"),
        ] {
            assert_eq!(parse_nanos(text, 0), None, "{text}");
            assert!(date_fault(text).unwrap().starts_with(why), "{text}");
        }
    }

    #[test]
    fn zones_are_hours_ahead() {
        let utc = parse_nanos("2024-03-31T10:00:00Z", 0);
        for text in [
            "2024-03-31 11:00:00+01:00",
            "2024-03-31 11:00:00.0 +0100",
            "2024-03-31 11:00:00 +01",
            "2024-03-31 06:30:00-03:30",
            "2024-03-31 10:00:00 utc",
            "2024-03-31 10:00:00 CEST",
        ] {
            assert_eq!(parse_nanos(text, 0), utc, "{text}");
        }
    }
}
