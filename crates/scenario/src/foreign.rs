//! Refusal of keys and variants that only other profiles have, with the names of these profiles. Names that no profile
//! knows are left to the walk over the document, unless a key of another profile is the nearest name.

use crate::input_error::{InputError, nearest};
use crate::linux::own_key;
use crate::profile::Profile;
use crate::renamed::{RENAMED_KEYS, RenamedKey};
use crate::schema::{follow_reference, point_schema};
use crate::variants::{allowing, check_variants, not_here, of_profiles};
use serde_json::{Map, Value};

/// Refuses keys and variants of other profiles in `document`, which is of `profile` with this `schema`.
pub(crate) fn refuse_keys_of_other_profiles(
    profile: Profile,
    schema: &Value,
    document: &Value,
) -> Result<(), InputError> {
    ForeignKeySearch { profile, root: schema }.check(&DocumentPlace::default(), document)
}

/// A place in documents: as a path, and as the keys that lead there, `ITEM` for an item of a list.
#[derive(Clone, Default)]
struct DocumentPlace<'a> {
    path: String,
    route: Vec<&'a str>,
}

const ITEM: &str = "[]";

impl<'a> DocumentPlace<'a> {
    fn key(&self, key: &'a str) -> DocumentPlace<'a> {
        let dot = if self.path.is_empty() { "" } else { "." };
        DocumentPlace {
            path: format!("{}{dot}{key}", self.path),
            route: [&self.route[..], &[key]].concat(),
        }
    }

    /// The location of an item of a list; items of an axis have the location of the axis.
    fn item(&self, index: usize, is_axis: bool) -> DocumentPlace<'a> {
        let step: &[&str] = if is_axis { &[] } else { &[ITEM] };
        DocumentPlace {
            path: format!("{}[{index}]", self.path),
            route: [&self.route[..], step].concat(),
        }
    }
}

/// The schema at the end of `route`, if there is such a place.
fn schema_at<'a>(root: &'a Value, route: &[&str]) -> Option<&'a Value> {
    let step = |schema: &'a Value, key: &&str| match *key {
        ITEM => schema.get("items"),
        key => schema.get("properties")?.get(key),
    };
    route.iter().try_fold(root, |schema, key| Some(follow_reference(root, step(schema, key)?)))
}

fn property_names(schema: Option<&Value>) -> Vec<&str> {
    let table = schema.and_then(|schema| schema.get("properties")?.as_object());
    table.into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

/// The keys of `tcp` that had another name, if the place is `tcp`.
fn earlier_names(place: &DocumentPlace<'_>) -> impl Iterator<Item = &'static RenamedKey> {
    let is_tcp = place.route.last() == Some(&"tcp");
    RENAMED_KEYS.iter().filter(move |_| is_tcp)
}

struct ForeignKeySearch<'a> {
    profile: Profile,
    root: &'a Value,
}

impl ForeignKeySearch<'_> {
    fn check(&self, place: &DocumentPlace<'_>, value: &Value) -> Result<(), InputError> {
        match value {
            Value::Object(table) => self.check_keys(place, table),
            Value::Array(items) => {
                let is_axis =
                    schema_at(self.root, &place.route).is_none_or(|s| s.get("items").is_none());
                let inside = items.iter().enumerate();
                let mut inside = inside.filter(|(_, item)| item.is_object() || item.is_array());
                inside.try_for_each(|(i, item)| self.check(&place.item(i, is_axis), item))
            }
            _ => Ok(()),
        }
    }

    fn check_keys(
        &self,
        place: &DocumentPlace<'_>,
        table: &Map<String, Value>,
    ) -> Result<(), InputError> {
        let known = property_names(schema_at(self.root, &place.route));
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

    /// Refuses an unknown key that another profile knows, or whose nearest name is one that another profile knows.
    fn check_unknown(
        &self,
        place: &DocumentPlace<'_>,
        key: &str,
        known: &[&str],
    ) -> Result<(), InputError> {
        let path = place.key(key).path;
        if let Some(key) = own_key(key).filter(|_| place.route.last() == Some(&"sysctl")) {
            return Err(InputError::new(path, format!("set tcp.{key} instead")));
        }
        if let Some(renamed) = earlier_names(place).find(|one| one.old == key) {
            return Err(InputError::new(path, self.renamed_message(place, renamed, known)));
        }
        let owners = self.profiles_with_key(place, key);
        if !owners.is_empty() {
            return Err(not_here(self.profile, &path, "key", &owners, key, known));
        }
        self.check_spelling(place, key, known)
    }

    /// Refuses a key whose nearest name is an earlier name, or one that only other profiles have.
    fn check_spelling(
        &self,
        place: &DocumentPlace<'_>,
        key: &str,
        known: &[&str],
    ) -> Result<(), InputError> {
        let schemas: Vec<Value> = self.other_profiles().map(point_schema).collect();
        let foreign: Vec<&str> =
            schemas.iter().flat_map(|root| property_names(schema_at(root, &place.route))).collect();
        let earlier: Vec<&str> = earlier_names(place).map(|one| one.old).collect();
        let near =
            nearest(key, known).is_none().then(|| nearest(key, &[earlier, foreign].concat()));
        let Some(near) = near.flatten() else { return Ok(()) };
        let message = match earlier_names(place).find(|one| one.old == near) {
            Some(renamed) => self.renamed_message(place, renamed, known),
            None => {
                let of = of_profiles(&self.profiles_with_key(place, near));
                allowing(&format!("{near:?} is a key of {of}"), known)
            }
        };
        Err(InputError::new(place.key(key).path, format!("unknown key {key:?}; {message}")))
    }

    /// Names the present name of a key and, if this profile does not have it, the profiles that do.
    fn renamed_message(
        &self,
        place: &DocumentPlace<'_>,
        renamed: &RenamedKey,
        known: &[&str],
    ) -> String {
        let RenamedKey { old, new, .. } = renamed;
        if known.contains(new) {
            return format!("{old:?} is now called {new:?}; use that name");
        }
        let (of, this) =
            (of_profiles(&self.profiles_with_key(place, new)), self.profile.entry().name);
        allowing(&format!("{old:?}, now called {new:?}, is a key of {of}, not of {this}"), known)
    }

    fn other_profiles(&self) -> impl Iterator<Item = Profile> {
        Profile::ALL.iter().copied().filter(|one| *one != self.profile)
    }

    /// The other profiles that have `key` at this place.
    fn profiles_with_key(&self, place: &DocumentPlace<'_>, key: &str) -> Vec<Profile> {
        let has = |profile: &Profile| {
            property_names(schema_at(&point_schema(*profile), &place.route)).contains(&key)
        };
        self.other_profiles().filter(has).collect()
    }
}
