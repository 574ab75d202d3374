//! The programs of a run. They live in a process namespace whose first process dies with this one: the kernel
//! ends it then, and with it every other process in the namespace, whatever a program did to get away. The
//! programs also have a host name of their own.

use super::identity::Identity;
use super::namespace::{ADDRESSES, Side};
use super::plan::{Program, User};
use super::terminal::{begin_session, use_terminal};
use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, wait, waitpid};
use nix::unistd::{ForkResult, Pid, chdir, close, fork, getcwd, pause, pipe, read, write};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The process namespace.
pub(super) struct ProcessNamespace {
    init: Pid,
    /// The mount of the namespace's own /proc; `None` if the kernel refuses one, and then programs see that of
    /// the host.
    mounts: Option<File>,
}

impl ProcessNamespace {
    /// Puts all later children of this process, which has one thread, into a new process namespace. Programs of
    /// another `user` share no IPC objects with the host either; other programs do, because windows share
    /// memory through them.
    pub(super) fn new(user: Option<&User>) -> Result<Self, String> {
        let refused = |error: Errno| format!("no process namespace can be made ({})", error.desc());
        let ipc = user.map_or(CloneFlags::empty(), |_| CloneFlags::CLONE_NEWIPC);
        unshare(CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWUTS | ipc).map_err(refused)?;
        let (ready, ready_writer) = pipe().map_err(refused)?;
        // SAFETY: this process has one thread, so that no lock is held by another.
        #[expect(unsafe_code, reason = "fork")]
        let forked = unsafe { fork() }.map_err(refused)?;
        let ForkResult::Parent { child: first } = forked else {
            reap_forever(ready_writer);
        };
        let mut mounted = [0];
        read(ready, &mut mounted).map_err(refused)?;
        let mounts = (mounted == [1]).then(|| mounts_of(first)).flatten();
        Ok(ProcessNamespace { init: first, mounts })
    }

    /// Starts a program on its side, as `user` if one is given.
    pub(super) fn spawn(
        &self,
        program: &Program,
        side: &Side,
        user: Option<&User>,
    ) -> io::Result<Pid> {
        let mut command = Command::new(&program.words[0]);
        command.args(&program.words[1..]);
        if let Some(user) = user {
            command.env_clear().envs(&user.environment);
        }
        command.env("AIRTCP_PEER", ADDRESSES[1 - program.side].to_string());
        command.env("AIRTCP_ADDRESS", ADDRESSES[program.side].to_string());
        let terminal = program.terminal;
        if let Some(terminal) = terminal {
            use_terminal(&mut command, terminal)?;
        }
        let (namespace, folder) = (side.namespace.try_clone()?, getcwd()?);
        let mounts = self.mounts.as_ref().map(File::try_clone).transpose()?;
        let user = user.map(Identity::for_user);
        let settle = move || {
            setns(&namespace, CloneFlags::CLONE_NEWNET)?;
            if let Some(mounts) = &mounts {
                setns(mounts, CloneFlags::CLONE_NEWNS)?;
                chdir(&folder)?;
            }
            if let Some(user) = &user {
                begin_session(terminal)?;
                user.assume()?;
            }
            set_pdeathsig(Signal::SIGKILL)?; // A new identity forgets it: prctl(2).
            Ok(SigSet::empty().thread_set_mask()?)
        };
        // SAFETY: only system calls between fork and exec, and this process has one thread.
        #[expect(unsafe_code, reason = "what a child does before it is another program")]
        let child = unsafe { command.pre_exec(settle) }.spawn()?;
        Ok(Pid::from_raw(child.id().cast_signed()))
    }

    /// Ends every process in the namespace, and waits until all have ended.
    pub(super) fn kill_all(self) {
        let _ = kill(self.init, Signal::SIGKILL);
        while wait().is_ok() {}
    }
}

/// Children that have ended: their process ids and exit codes, 128 + n if signal n ended the child.
pub(super) fn exited_children() -> impl Iterator<Item = (Pid, i32)> {
    std::iter::from_fn(|| match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)).ok()? {
        WaitStatus::Exited(who, code) => Some((who, code)),
        WaitStatus::Signaled(who, signal, _) => Some((who, 128 + signal as i32)),
        _ => None,
    })
}

#[expect(clippy::disallowed_methods, reason = "a namespace is a file")]
fn mounts_of(process: Pid) -> Option<File> {
    File::open(format!("/proc/{process}/ns/mnt")).ok()
}

/// Mounts /proc in a mount namespace of its own, so that programs see the processes that they can reach.
fn mount_proc() -> nix::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let (none, private) = (None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE);
    mount(none, "/", none, private, none)?;
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), safe, none)
}

/// Closes the files that this process has inherited: programs that see it under /proc could open them.
pub(super) fn close_all_but(kept: impl Fn(RawFd) -> bool) {
    let Ok(all) = fs::read_dir("/proc/self/fd") else { std::process::abort() };
    let numbers = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for number in numbers.filter(|number| !kept(*number)).collect::<Vec<RawFd>>() {
        let _ = close(number); // The descriptor of the listing is closed already.
    }
}

/// The first process of the namespace: orphans become its children. It reports over `ready_writer` that it has its own
/// /proc, or that it has not.
fn reap_forever(ready_writer: OwnedFd) -> ! {
    // In this order: who has heard it may die at once, and this one dies too.
    if set_pdeathsig(Signal::SIGKILL).is_err() {
        std::process::abort();
    }
    close_all_but(|number| number <= 2 || number == ready_writer.as_raw_fd());
    if write(ready_writer, &[u8::from(mount_proc().is_ok())]).is_err() {
        std::process::abort(); // Nobody listens any more.
    }
    loop {
        if wait() == Err(Errno::ECHILD) {
            pause();
        }
    }
}
