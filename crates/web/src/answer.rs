//! An answer: a JSON head, and columns of 64-bit words.

use airtcp_scenario::InputError;
use serde_json::{Map, Value, json};

/// Bytes of a word, to whose multiples everything is aligned.
const WORD: usize = size_of::<u64>();

/// An answer. Its bytes are the length of the head (one word), the head, zeros up to a multiple of a word, and the
/// columns one after the other; all words are little-endian. `columns` in the head has the name, the layout and the number
/// of words of each.
#[derive(Debug, Default)]
pub struct Answer {
    head: Map<String, Value>,
    columns: Vec<Value>,
    words: Vec<u8>,
}

impl Answer {
    /// An answer with this head, an object.
    pub(crate) fn new(head: Value) -> Self {
        let Value::Object(head) = head else { unreachable!("a head is an object") };
        Answer { head, ..Answer::default() }
    }

    /// A refusal: the path of the key, and the message.
    pub(crate) fn refusal(error: &InputError) -> Self {
        Answer::new(json!({"refused": {"path": error.path, "message": error.message}}))
    }

    /// Adds a column. `layout` names the fields of a record and their types as NumPy does.
    pub(crate) fn with<const N: usize>(
        mut self,
        name: &str,
        layout: &[(&str, &str)],
        records: &[[u64; N]],
    ) -> Self {
        let words = records.as_flattened();
        self.columns.push(json!({"name": name, "layout": layout, "words": words.len()}));
        self.words.reserve(WORD * words.len());
        words.iter().for_each(|word| self.words.extend_from_slice(&word.to_le_bytes()));
        self
    }

    /// The bytes that the page reads.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.head.insert("columns".to_owned(), self.columns.into());
        let head = serde_json::to_vec(&self.head).expect("a head is plain data");
        let begin = (WORD + head.len()).next_multiple_of(WORD);
        let mut bytes = Vec::with_capacity(begin + self.words.len());
        bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&head);
        bytes.resize(begin, 0);
        bytes.append(&mut self.words);
        bytes
    }
}
