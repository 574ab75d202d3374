//! The operating system's text for an error, without its number.

use nix::errno::Errno;
use std::io;

/// Text of an error for people.
pub(super) fn error_text(error: impl Into<io::Error>) -> String {
    let error = error.into();
    match error.raw_os_error() {
        Some(number) => Errno::from_raw(number).desc().to_owned(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_no_numbers() {
        assert_eq!(error_text(Errno::ENOENT), "No such file or directory");
        assert_eq!(error_text(io::Error::from_raw_os_error(13)), "Permission denied");
        assert_eq!(error_text(io::Error::other("full")), "full");
    }
}
