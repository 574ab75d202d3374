//! A pool of threads with a queue of work. Nothing here knows what the work is.
//!
//! One lock holds the queue and the results; work is done outside it. A task that panics counts as a result, so that no
//! caller waits forever.

use airtcp_core::Cancel;
use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Reason why a piece of work has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkFailure<E> {
    /// The work ended with an error of its own.
    Refused(E),
    /// The work panicked, with this message: a defect of the program.
    Panicked(String),
}

/// Threads that work through a queue until they are closed.
pub struct Pool<T, R, E> {
    shared: Arc<PoolShared<T, R, E>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct PoolShared<T, R, E> {
    state: Mutex<PoolState<T, R, E>>,
    /// Signalled when there is work or the pool is closed.
    work: Condvar,
    /// Signalled when there are results or there will be no more.
    results: Condvar,
    cancel: Cancel,
}

struct PoolState<T, R, E> {
    queue: VecDeque<T>,
    tasks_running: usize,
    finished: Vec<R>,
    failed: VecDeque<WorkFailure<E>>,
}

impl<T, R, E> Pool<T, R, E>
where
    T: Send + 'static,
    R: Send + 'static,
    E: Send + 'static,
{
    /// Starts `jobs` threads, each of which does `work` on what is submitted. `work` must check the given flag
    /// regularly and return `None` soon after it is set.
    ///
    /// # Errors If no thread can be started.
    pub fn new(
        jobs: usize,
        work: impl Fn(T, &Cancel) -> Option<Result<R, E>> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(PoolShared::new());
        let work = Arc::new(work);
        // Whoever was started before an error is joined as the pool is dropped.
        let pool = Pool { shared, threads: Mutex::default() };
        for number in 0..jobs {
            let (shared, work) = (Arc::clone(&pool.shared), Arc::clone(&work));
            let thread = Builder::new().name(format!("airtcp-{number}"));
            let started = thread.spawn(move || shared.run_worker(&*work))?;
            pool.threads.lock().expect("nothing panics under this lock").push(started);
        }
        Ok(pool)
    }

    /// Puts work at the end of the queue. Returns false if the pool is closed.
    pub fn submit(&self, work: impl IntoIterator<Item = T>) -> bool {
        let mut state = self.shared.lock();
        if self.shared.cancelled() {
            return false;
        }
        state.queue.extend(work);
        drop(state);
        self.shared.work.notify_all();
        true
    }

    /// Number of runs that were submitted and have not been taken.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.shared.lock().outstanding()
    }

    /// Waits until there is something to take, nothing is outstanding, or `patience` is over. Returns
    /// whether there was an end of waiting.
    #[must_use]
    pub fn wait(&self, patience: Duration) -> bool {
        let waiting =
            |state: &mut PoolState<T, R, E>| !state.has_results() && state.outstanding() > 0;
        let state = self.shared.lock();
        let waited = self.shared.results.wait_timeout_while(state, patience, waiting);
        !waited.expect("nothing panics under this lock").1.timed_out()
    }

    /// Takes what is finished. Failures come one by one, when there is nothing else to take.
    ///
    /// # Errors
    /// The oldest failure.
    pub fn take(&self) -> Result<Vec<R>, WorkFailure<E>> {
        let mut state = self.shared.lock();
        if state.finished.is_empty()
            && let Some(failure) = state.failed.pop_front()
        {
            return Err(failure);
        }
        Ok(std::mem::take(&mut state.finished))
    }

    /// Ends the work: what is in progress is cancelled, what is queued is dropped, what is finished can
    /// still be taken. Returns when no thread is left.
    pub fn close(&self) {
        self.shared.cancel();
        let mut threads = self.threads.lock().expect("nothing panics under this lock");
        for thread in threads.drain(..) {
            thread.join().expect("work that panics is caught");
        }
    }
}

impl<T, R, E> Drop for Pool<T, R, E> {
    fn drop(&mut self) {
        self.shared.cancel();
        let threads = self.threads.get_mut().map(std::mem::take).unwrap_or_default();
        for thread in threads {
            // An error has been reported already; a drop has nobody to report it to.
            let _ = thread.join();
        }
    }
}

impl<T, R, E> PoolShared<T, R, E> {
    fn new() -> Self {
        let state = PoolState {
            queue: VecDeque::new(),
            tasks_running: 0,
            finished: Vec::new(),
            failed: VecDeque::new(),
        };
        PoolShared {
            state: Mutex::new(state),
            work: Condvar::new(),
            results: Condvar::new(),
            cancel: Cancel::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolState<T, R, E>> {
        self.state.lock().expect("nothing panics under this lock")
    }

    fn cancelled(&self) -> bool {
        self.cancel.is_set()
    }

    /// Set under the lock, so that every waiting thread has either seen it or is woken.
    fn cancel(&self) {
        let mut state = self.lock();
        self.cancel.set();
        state.queue.clear();
        drop(state);
        self.work.notify_all();
        self.results.notify_all();
    }

    /// A thread's life.
    fn run_worker(&self, work: &impl Fn(T, &Cancel) -> Option<Result<R, E>>) {
        while let Some(task) = self.next_task() {
            let done = catch_unwind(AssertUnwindSafe(|| work(task, &self.cancel)));
            let mut state = self.lock();
            state.tasks_running -= 1;
            match done {
                Ok(Some(Ok(result))) => state.finished.push(result),
                Ok(Some(Err(error))) => state.failed.push_back(WorkFailure::Refused(error)),
                Ok(None) => {}
                Err(panic) => state.failed.push_back(WorkFailure::Panicked(panic_message(&*panic))),
            }
            drop(state);
            self.results.notify_all();
        }
    }

    /// The next piece of work; `None` when the pool is closed.
    fn next_task(&self) -> Option<T> {
        let idle = |state: &mut PoolState<T, R, E>| state.queue.is_empty() && !self.cancelled();
        let state = self.work.wait_while(self.lock(), idle);
        let mut state = state.expect("nothing panics under this lock");
        let task = state.queue.pop_front()?;
        state.tasks_running += 1;
        Some(task)
    }
}

impl<T, R, E> PoolState<T, R, E> {
    fn has_results(&self) -> bool {
        !self.finished.is_empty() || !self.failed.is_empty()
    }

    fn outstanding(&self) -> usize {
        self.queue.len() + self.tasks_running + self.finished.len() + self.failed.len()
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
