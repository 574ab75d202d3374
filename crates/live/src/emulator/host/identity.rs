//! The identity of another user, which a program takes for good between fork and exec, so that it keeps none of
//! root's rights.

use super::plan::User;
use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl::set_no_new_privs;
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};

/// The credentials that a process takes to become another user.
pub(super) struct Identity {
    uid: Uid,
    gid: Gid,
    groups: Vec<Gid>,
}

impl Identity {
    pub(super) fn for_user(user: &User) -> Self {
        let groups = user.groups.iter().copied().map(Gid::from_raw).collect();
        Identity { uid: Uid::from_raw(user.uid), gid: Gid::from_raw(user.gid), groups }
    }

    /// Takes the identity for good: no program started from here, set-user-ID or not, regains a right. Groups
    /// come first, because only root may change them.
    pub(super) fn assume(&self) -> nix::Result<()> {
        empty_bounding_set();
        setgroups(&self.groups)?;
        setresgid(self.gid, self.gid, self.gid)?;
        setresuid(self.uid, self.uid, self.uid)?;
        drop_capabilities()?;
        leave_session_keyring()?;
        set_no_new_privs()
    }
}

/// Empties the bounding set of capabilities as far as this process may; where it may not, no_new_privs ensures
/// that no capability in the set is gained.
fn empty_bounding_set() {
    let mut capability: libc::c_ulong = 0;
    // SAFETY: prctl(2) takes numbers here. It fails behind the last capability that the kernel knows.
    #[expect(unsafe_code, reason = "prctl")]
    while unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } == 0 {
        capability += 1;
    }
}

/// Drops all sets of capabilities of a thread, and with them the ambient one: setresuid(2) leaves some of them,
/// and with certain securebits all.
fn drop_capabilities() -> nix::Result<()> {
    const VERSION_3: u32 = 0x2008_0522; // linux/capability.h
    let header: [u32; 2] = [VERSION_3, 0]; // of this thread
    let none = [0_u32; 6]; // effective, permitted and inheritable: two words each
    // SAFETY: the kernel reads both, which have the lengths that this version says.
    #[expect(unsafe_code, reason = "capset")]
    let done = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) };
    Errno::result(done).map(drop)
}

/// Leaves root's session keyring: a process that possesses it may read what root keeps there, see keyrings(7).
/// Without keyrings in the kernel, or in a container that forbids the call, there is nothing to read.
fn leave_session_keyring() -> nix::Result<()> {
    const JOIN_SESSION_KEYRING: libc::c_ulong = 1; // linux/keyctl.h
    // SAFETY: without a name, which is the null, the kernel reads no memory.
    #[expect(unsafe_code, reason = "keyctl")]
    let done = unsafe { libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, 0) };
    match Errno::result(done) {
        Err(Errno::ENOSYS | Errno::EPERM) => Ok(()),
        other => other.map(drop),
    }
}
