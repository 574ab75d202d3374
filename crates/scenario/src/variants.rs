//! Refusals of variants that a profile does not have, and words for keys that only other profiles have.

use crate::input_error::{InputError, hint, nearest};
use crate::profile::Profile;
use airtcp_tcp::Variant;
use serde_json::Value;

/// Refuses a variant, or one of several, that only other profiles have.
pub(crate) fn check_variants(
    profile: Profile,
    value: &Value,
    path: &str,
) -> Result<(), InputError> {
    match value {
        Value::String(name) => {
            let named = |name| Variant::ALL.iter().copied().find(|one| one.name() == name);
            named(name.as_str()).map_or_else(
                || check_unknown_variant(profile, name, path),
                |variant| check_variant(profile, variant, path),
            )
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(i, item)| check_variants(profile, item, &format!("{path}[{i}]"))),
        _ => Ok(()),
    }
}

/// Refuses a variant that scenarios of `profile` cannot use.
pub(crate) fn check_variant(
    profile: Profile,
    variant: Variant,
    path: &str,
) -> Result<(), InputError> {
    let name = variant.name();
    if profile.has_variant(name) {
        return Ok(());
    }
    Err(not_here(profile, path, "variant", &having_variant(name), name, &variants(profile)))
}

/// Refuses a name if the nearest one is a variant of other profiles.
fn check_unknown_variant(profile: Profile, name: &str, path: &str) -> Result<(), InputError> {
    let all: Vec<&str> = Variant::ALL.iter().map(|one| one.name()).collect();
    let own = variants(profile);
    match (nearest(name, &own), nearest(name, &all)) {
        (None, Some(near)) => {
            let of = of_profiles(&having_variant(near));
            let message = format!("unknown name {name:?}; {near:?} is a variant of {of}");
            Err(InputError::new(path, allowing(&message, &own)))
        }
        _ => Ok(()),
    }
}

fn variants(profile: Profile) -> Vec<&'static str> {
    profile.variants().map(Variant::name).collect()
}

fn having_variant(name: &str) -> Vec<Profile> {
    Profile::ALL.iter().copied().filter(|profile| profile.has_variant(name)).collect()
}

/// Words such as "\"header\" is a key of profiles rfc, bsd and linux, not of ns2".
pub(crate) fn not_here(
    profile: Profile,
    path: &str,
    what: &str,
    owners: &[Profile],
    name: &str,
    allowed: &[&str],
) -> InputError {
    let (of, this) = (of_profiles(owners), profile.entry().name);
    let message = format!("{name:?} is a {what} of {of}, not of {this}{}", hint(name, allowed));
    InputError::new(path, allowing(&message, allowed))
}

/// The message, and the names that are allowed instead.
pub(crate) fn allowing(message: &str, allowed: &[&str]) -> String {
    format!("{message} (allowed: {})", allowed.join(", "))
}

/// Words such as "profile ns2" or "profiles ns2, rfc and bsd".
pub(crate) fn of_profiles(profiles: &[Profile]) -> String {
    let names: Vec<&str> = profiles.iter().map(|profile| profile.entry().name).collect();
    match names.as_slice() {
        [] => "no profile".to_owned(),
        [name] => format!("profile {name}"),
        [most @ .., last] => format!("profiles {} and {last}", most.join(", ")),
    }
}
