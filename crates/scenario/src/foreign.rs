//! Keys and variants that only other profiles have: refused by whose they are. What no profile knows is left
//! to the walk over the document, unless a key of another profile is what is nearest to it.

use crate::input_error::{InputError, hint, nearest};
use crate::linux::said_by;
use crate::profile::Profile;
use crate::schema::{point_schema, resolve};
use airtcp_tcp::Variant;
use serde_json::{Map, Value};

/// Refuses what `document`, which is of `profile` with this `schema`, has from other profiles.
pub(crate) fn refuse_foreign(
    profile: Profile,
    schema: &Value,
    document: &Value,
) -> Result<(), InputError> {
    Search { profile, root: schema }.check(&Place::default(), document)
}

/// A place in documents: as a path, and as the keys that lead there, `ITEM` for those of a list.
#[derive(Clone, Default)]
struct Place<'a> {
    path: String,
    route: Vec<&'a str>,
}

const ITEM: &str = "[]";

impl<'a> Place<'a> {
    fn key(&self, key: &'a str) -> Place<'a> {
        let dot = if self.path.is_empty() { "" } else { "." };
        Place {
            path: format!("{}{dot}{key}", self.path),
            route: [&self.route[..], &[key]].concat(),
        }
    }

    /// An item of a list; those of an axis lie where it does.
    fn item(&self, index: usize, is_axis: bool) -> Place<'a> {
        let step: &[&str] = if is_axis { &[] } else { &[ITEM] };
        Place { path: format!("{}[{index}]", self.path), route: [&self.route[..], step].concat() }
    }
}

/// The schema at the end of `route`, if there is such a place.
fn at<'a>(root: &'a Value, route: &[&str]) -> Option<&'a Value> {
    let step = |schema: &'a Value, key: &&str| match *key {
        ITEM => schema.get("items"),
        key => schema.get("properties")?.get(key),
    };
    route.iter().try_fold(root, |schema, key| Some(resolve(root, step(schema, key)?)))
}

fn keys(schema: Option<&Value>) -> Vec<&str> {
    let table = schema.and_then(|schema| schema.get("properties")?.as_object());
    table.into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

struct Search<'a> {
    profile: Profile,
    root: &'a Value,
}

impl Search<'_> {
    fn check(&self, place: &Place<'_>, value: &Value) -> Result<(), InputError> {
        match value {
            Value::Object(table) => self.check_keys(place, table),
            Value::Array(items) => {
                let is_axis = at(self.root, &place.route).is_none_or(|s| s.get("items").is_none());
                let inside = items.iter().enumerate();
                let mut inside = inside.filter(|(_, item)| item.is_object() || item.is_array());
                inside.try_for_each(|(i, item)| self.check(&place.item(i, is_axis), item))
            }
            _ => Ok(()),
        }
    }

    fn check_keys(&self, place: &Place<'_>, table: &Map<String, Value>) -> Result<(), InputError> {
        let known = keys(at(self.root, &place.route));
        for (key, value) in table {
            let inside = place.key(key);
            if known.contains(&key.as_str()) {
                if key == "variant" {
                    check_variants(self.profile, value, &inside.path)?;
                }
                self.check(&inside, value)?;
            } else if !known.is_empty() {
                self.check_unknown(place, key, &known)?;
            }
        }
        Ok(())
    }

    fn check_unknown(
        &self,
        place: &Place<'_>,
        key: &str,
        known: &[&str],
    ) -> Result<(), InputError> {
        if place.route.last() == Some(&"sysctl")
            && let Some(said) = said_by(key)
        {
            let message = format!("tcp.{said} says it: give that");
            return Err(InputError::new(place.key(key).path, message));
        }
        let others = Profile::ALL.iter().filter(|one| **one != self.profile);
        let schemas: Vec<_> = others.map(|one| (*one, point_schema(*one))).collect();
        let having = |key: &str| -> Vec<Profile> {
            let has = |root| keys(at(root, &place.route)).contains(&key);
            schemas.iter().filter(|(_, root)| has(root)).map(|(profile, _)| *profile).collect()
        };
        let path = place.key(key).path;
        let owners = having(key);
        if !owners.is_empty() {
            return Err(not_here(self.profile, &path, "key", &owners, key, known));
        }
        let foreign: Vec<_> =
            schemas.iter().flat_map(|(_, root)| keys(at(root, &place.route))).collect();
        match (nearest(key, known), nearest(key, &foreign)) {
            (None, Some(near)) => {
                let of = of_profiles(&having(near));
                let message = format!("unknown key {key:?}; {near:?} is a key of {of}");
                Err(InputError::new(path, allowing(&message, known)))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses a variant, or one of several, that only other profiles have.
fn check_variants(profile: Profile, value: &Value, path: &str) -> Result<(), InputError> {
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

/// "\"growth\" is a key of profile rfc, not of ns2".
fn not_here(
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

fn allowing(message: &str, allowed: &[&str]) -> String {
    format!("{message} (allowed: {})", allowed.join(", "))
}

/// "profile ns2", "profiles ns2, rfc and bsd".
fn of_profiles(profiles: &[Profile]) -> String {
    let names: Vec<&str> = profiles.iter().map(|profile| profile.entry().name).collect();
    match names.as_slice() {
        [] => "no profile".to_owned(),
        [name] => format!("profile {name}"),
        [most @ .., last] => format!("profiles {} and {last}", most.join(", ")),
    }
}
