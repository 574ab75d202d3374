//! One list per kind of thing that a scenario can name: it gives the tag in files, the builder, the
//! JSON Schema and the listing. Law tests iterate over it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// One line of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
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
pub fn tagged_schema<T: JsonSchema>(generator: &mut SchemaGenerator, tag: &Entry) -> Value {
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

/// Declares a registry: an enum that serde reads by its `kind` tag, whose alternatives are the
/// listed specs, with the listing as `ENTRIES`. Every spec implements the named trait.
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $trait:ident {
            $( $tag:literal => $variant:ident($spec:ty), $summary:literal, $sources:literal; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "kind")]
        pub enum $name {
            $( #[doc = $summary] #[serde(rename = $tag)] $variant($spec), )+
        }

        impl $name {
            /// Everything that can be named here.
            pub const ENTRIES: &'static [$crate::Entry] = &[
                $( $crate::Entry { name: $tag, summary: $summary, sources: $sources }, )+
            ];

            /// The entry of this alternative.
            #[must_use]
            pub fn entry(&self) -> &'static $crate::Entry {
                let name = match self { $( Self::$variant(_) => $tag, )+ };
                Self::ENTRIES.iter().find(|e| e.name == name).expect("every alternative is listed")
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
                let mut entries = Self::ENTRIES.iter();
                let alternatives = vec![
                    $( $crate::tagged_schema::<$spec>(generator, entries.next().expect("listed")), )+
                ];
                $crate::one_of(&alternatives)
            }
        }
    };
}
