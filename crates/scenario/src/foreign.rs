//! Keys and variants that only other profiles have: refused by whose they are. What no profile knows is left
//! to the walk over the document, unless a key of another profile is what is nearest to it.

use crate::input_error::{InputError, nearest};
use crate::linux::said_by;
use crate::profile::Profile;
use crate::renamed::RENAMED;
use crate::schema::{point_schema, resolve};
use crate::variants::{allowing, check_variants, not_here, of_profiles};
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

/// The present name of a key of `tcp` that had another one.
fn present(place: &Place<'_>, key: &str) -> Option<&'static str> {
    let of_tcp = place.route.last() == Some(&"tcp");
    RENAMED.iter().find(|one| of_tcp && one.old == key).map(|one| one.new)
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
        let now = present(place, key);
        if let Some(new) = now.filter(|new| known.contains(new)) {
            let message = format!("{key:?} is now called {new:?}: give that");
            return Err(InputError::new(path, message));
        }
        let owners = having(now.unwrap_or(key));
        if !owners.is_empty() {
            return Err(not_here(self.profile, &path, "key", &owners, now.unwrap_or(key), known));
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
