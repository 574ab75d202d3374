//! A session of its own for a program of another user. The terminal of the user who started the run is not in
//! it: with TIOCSTI a program can type into its controlling terminal, ioctl_tty(2).

use super::children::{close_all_but, exited_children};
use nix::libc;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::{ForkResult, Pid, fork, setsid};
use std::io::{self, IsTerminal, stderr, stdin, stdout};
use std::os::fd::{BorrowedFd, RawFd};
use std::process::Command;

nix::ioctl_write_int_bad!(
    /// Makes a terminal the controlling one of the caller's session, which has none.
    set_controlling,
    libc::TIOCSCTTY
);

/// Gives a command `terminal` instead of each of stdin, stdout and stderr that is a terminal.
pub(super) fn use_terminal(command: &mut Command, terminal: RawFd) -> io::Result<()> {
    // SAFETY: the plan names a file that this process has inherited and keeps until its end.
    #[expect(unsafe_code, reason = "a descriptor that came by its number")]
    let terminal = unsafe { BorrowedFd::borrow_raw(terminal) };
    let end = || terminal.try_clone_to_owned();
    if stdin().is_terminal() {
        command.stdin(end()?);
    }
    if stdout().is_terminal() {
        command.stdout(end()?);
    }
    if stderr().is_terminal() {
        command.stderr(end()?);
    }
    Ok(())
}

/// Begins a session in a child that is to be a program: without a controlling terminal, or with `terminal`.
pub(super) fn begin_session(terminal: Option<RawFd>) -> nix::Result<()> {
    setsid()?;
    let Some(terminal) = terminal else { return Ok(()) };
    // SAFETY: the file is open.
    #[expect(unsafe_code, reason = "ioctl")]
    unsafe { set_controlling(terminal, 0) }?;
    SigSet::all().thread_set_mask()?;
    // SAFETY: this process has one thread.
    #[expect(unsafe_code, reason = "fork")]
    match unsafe { fork() }? {
        ForkResult::Child => Ok(()),
        ForkResult::Parent { child } => lead_session(child),
    }
}

/// Leads the session for a program, and ends as it ends. The leader has a process group of its own, so a shell
/// with jobs gets another one, and the reader of the terminal's keys sees which processes Ctrl-C is for. All
/// signals are blocked.
fn lead_session(program: Pid) -> ! {
    close_all_but(|_| false); // Among them is the pipe whose end informs the emulator that the program was executed.
    let awaited = SigSet::from_iter([Signal::SIGCHLD, Signal::SIGTERM]);
    loop {
        if awaited.wait() == Ok(Signal::SIGTERM) {
            let _ = kill(program, Signal::SIGTERM);
        }
        if let Some((_, status)) = exited_children().find(|(who, _)| *who == program) {
            // SAFETY: it runs nothing of the process that this one is a copy of.
            #[expect(unsafe_code, reason = "_exit")]
            unsafe {
                libc::_exit(status)
            }
        }
    }
}
