//! Answers read as a page reads them.

use airtcp_web::Desk;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The head of an answer, and its columns by name.
pub(crate) fn asked(desk: &mut Desk, question: &Value) -> (Value, HashMap<String, Vec<u64>>) {
    read(&desk.answer(question.to_string().as_bytes()).into_bytes())
}

/// The refusal that a question meets: path and message.
pub(crate) fn refused(desk: &mut Desk, question: &Value) -> (String, String) {
    let (head, columns) = asked(desk, question);
    assert!(columns.is_empty(), "{head}");
    let text = |key: &str| head["refused"][key].as_str().expect("a refusal").to_owned();
    (text("path"), text("message"))
}

/// Asks for the points of a document, and returns their number.
pub(crate) fn points(desk: &mut Desk, document: &Value) -> u64 {
    let (head, _) = asked(desk, &json!({"ask": "points", "document": document.to_string()}));
    head["count"].as_u64().unwrap_or_else(|| panic!("{head}"))
}

fn read(bytes: &[u8]) -> (Value, HashMap<String, Vec<u64>>) {
    let words: Vec<_> =
        bytes.chunks(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes)).collect();
    let end = 8 + words[0] as usize;
    let head: Value = serde_json::from_slice(&bytes[8..end]).expect("the head is JSON");
    let mut rest = words[end.div_ceil(8)..].iter().copied();
    let columns = head["columns"].as_array().expect("columns").iter().map(|column| {
        let count = column["words"].as_u64().expect("a number") as usize;
        (column["name"].as_str().expect("a name").to_owned(), rest.by_ref().take(count).collect())
    });
    let columns: HashMap<_, Vec<_>> = columns.collect();
    assert_eq!(rest.next(), None, "no word is left over");
    (head, columns)
}
