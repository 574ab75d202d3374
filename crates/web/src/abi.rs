//! The functions that a page calls. Questions and answers lie in memory of the instance, which the page writes and
//! reads; Rust itself follows no address that comes from outside.
#![allow(unsafe_code, reason = "a name without mangling counts as unsafe; nothing else here is")]

use crate::desk::Desk;
use std::cell::RefCell;
use std::panic;
use std::sync::Once;

/// Memory that the page and the desk share.
#[derive(Default)]
struct Mail {
    desk: Desk,
    question: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static MAIL: RefCell<Mail> = RefCell::default();
    static LAST_WORDS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a question of `length` bytes, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    MAIL.with_borrow_mut(|mail| {
        mail.question.clear();
        mail.question.resize(length, 0);
        mail.question.as_mut_ptr()
    })
}

/// Answers the question that lies in the room, and returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        panic::set_hook(Box::new(|info| {
            LAST_WORDS.with_borrow_mut(|words| *words = info.to_string().into_bytes());
        }));
    });
    MAIL.with_borrow_mut(|mail| {
        // Freed before the next one is made: an answer may be as large as half of the memory.
        mail.answer = Vec::new();
        mail.answer = mail.desk.answer(&mail.question).into_bytes();
        mail.answer.len()
    })
}

/// Returns the address of the answer, which holds until the next question.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    MAIL.with_borrow(|mail| mail.answer.as_ptr())
}

/// Returns the length of what was said before a trap, in bytes; 0 if nothing was.
#[unsafe(no_mangle)]
pub extern "C" fn last_words() -> usize {
    LAST_WORDS.with_borrow(Vec::len)
}

/// Returns the address of what was said before a trap.
#[unsafe(no_mangle)]
pub extern "C" fn last_words_at() -> *const u8 {
    LAST_WORDS.with_borrow(Vec::as_ptr)
}
