//! Registries: one list per kind of thing that a scenario can name. The list gives the tag in files, the builder, the
//! JSON Schema and the listing. Property tests iterate over it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// One line of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistryEntry {
    /// The name in scenario files.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Keys into `refs.bib`, separated by commas.
    pub sources: &'static str,
}

/// The schema of `T` with the property `kind` fixed to `tag`.
///
/// # Panics
/// If `T` is not a struct with named fields: a mistake in the registry.
pub fn tagged_schema<T: JsonSchema>(generator: &mut SchemaGenerator, tag: &RegistryEntry) -> Value {
    let mut schema: Value = T::json_schema(generator).into();
    let object = schema.as_object_mut().expect("a registered spec is an object");
    let mut properties = serde_json::Map::new();
    properties.insert("kind".into(), json!({"const": tag.name, "description": tag.summary}));
    if let Some(Value::Object(own)) = object.remove("properties") {
        properties.extend(own);
    }
    let mut required = vec![json!("kind")];
    if let Some(Value::Array(own)) = object.remove("required") {
        required.extend(own);
    }
    object.insert("title".into(), T::schema_name().into_owned().into());
    object.insert("type".into(), "object".into());
    object.insert("properties".into(), properties.into());
    object.insert("required".into(), required.into());
    object.insert("additionalProperties".into(), false.into());
    schema
}

/// Wraps alternatives into one schema.
#[doc(hidden)]
#[must_use]
pub fn one_of(alternatives: &[Value]) -> Schema {
    Schema::try_from(json!({"oneOf": alternatives})).expect("an object is a schema")
}

/// The schema of something that may be written as its name alone, or as one of `tables`.
#[doc(hidden)]
#[must_use]
pub fn name_or_table(entries: &[RegistryEntry], tables: Vec<Value>) -> Schema {
    let name = |entry: &RegistryEntry| json!({"const": entry.name, "description": entry.summary});
    let mut alternatives: Vec<Value> = entries.iter().map(name).collect();
    alternatives.extend(tables);
    one_of(&alternatives)
}

/// A name as the table that it stands for; a table as it is.
#[doc(hidden)]
#[must_use]
pub fn name_to_table(value: Value) -> Value {
    if value.is_string() { json!({"kind": value}) } else { value }
}

/// Declares a registry: an enum that serde reads by its `kind` tag, whose alternatives are the
/// listed specs, with the listing as `ENTRIES`. Where a trait is named every spec implements it.
/// `or name`: the name alone stands for the table with all its defaults, and is how that is written.
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $trait:ident {
            $( $tag:literal => $variant:ident($spec:ty), $summary:literal, $sources:literal; )+
        }
    ) => {
        $crate::registry! {
            @enum #[serde(tag = "kind")] $(#[$meta])*
            pub enum $name {
                $( $tag => $variant($spec), $summary, $sources; )+
            }
        }

        impl $name {
            fn spec(&self) -> &dyn $trait {
                match self { $( Self::$variant(spec) => spec, )+ }
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::one_of(&Self::tables(generator))
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident or name {
            $( $tag:literal => $variant:ident($spec:ty), $summary:literal, $sources:literal; )+
        }
    ) => {
        $crate::registry! {
            @enum #[serde(tag = "kind", remote = "Self")] $(#[$meta])*
            pub enum $name {
                $( $tag => $variant($spec), $summary, $sources; )+
            }
        }

        impl $name {
            /// The one of this name, with its defaults.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::deserialize($crate::json::json!({"kind": name})).ok()
            }

            /// Each, with its defaults.
            pub fn every() -> impl Iterator<Item = Self> {
                Self::ENTRIES.iter().filter_map(|entry| Self::named(entry.name))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let name = self.entry().name;
                if Self::named(name).is_some_and(|plain| plain == *self) {
                    return to.serialize_str(name);
                }
                Self::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let value = <$crate::json::Value as serde::Deserialize>::deserialize(from)?;
                Self::deserialize($crate::name_to_table(value)).map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::name_or_table(Self::ENTRIES, Self::tables(generator))
            }
        }
    };
    (
        @enum
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $tag:literal => $variant:ident($spec:ty), $summary:literal, $sources:literal; )+
        }
    ) => {
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        pub enum $name {
            $( #[doc = $summary] #[serde(rename = $tag)] $variant($spec), )+
        }

        impl $name {
            /// Everything that can be named here.
            pub const ENTRIES: &'static [$crate::RegistryEntry] = &[
                $( $crate::RegistryEntry { name: $tag, summary: $summary, sources: $sources }, )+
            ];

            /// The entry of this alternative.
            #[must_use]
            pub fn entry(&self) -> &'static $crate::RegistryEntry {
                let name = match self { $( Self::$variant(_) => $tag, )+ };
                Self::ENTRIES.iter().find(|e| e.name == name).expect("every alternative is listed")
            }

            /// The schema of each as a table.
            fn tables(generator: &mut schemars::SchemaGenerator) -> Vec<$crate::json::Value> {
                let mut entries = Self::ENTRIES.iter();
                vec![
                    $( $crate::tagged_schema::<$spec>(generator, entries.next().expect("listed")), )+
                ]
            }
        }
    };
}
