"""The compiled part of airtcp."""

from collections.abc import Callable, Sequence
from typing import Any

__version__: str
BUILD: str
MODEL_VERSION: int

class ScenarioError(ValueError):
    """Bad input: args are (path, message)."""

class Points:
    """The points of a document, all of them checked; raises `ScenarioError`."""

    def __init__(self, document: str) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Point:
        """One point; raises `IndexError`, also for a negative number."""

    def telling(self) -> list[int]:
        """Numbers of a few points that show which keys vary.

        A key with one value in these has that value in all points; every key of any point is in one
        of them.
        """

    def random(self) -> bytes:
        """For each point a byte: 1 if two of its runs can differ, else 0."""

    def distinct(self) -> Words:
        """For each group of equal points, the number of the first, ascending."""

    def case_keys(self) -> list[str]:
        """Dotted paths of the keys that the cases of the document set."""

class Point:
    """A point of a document: checked and read once, whatever is asked of it. It can be pickled."""

    def __new__(cls, text: str) -> Point:
        """Read a point from the text that `json` has given out; raises `ScenarioError`."""

    @property
    def json(self) -> str:
        """The point as text."""

def case_names(document: str) -> list[str]:
    """The names of the cases of a document; raises `ScenarioError`."""

def is_random(point: Point) -> bool:
    """True if two runs of a point can differ; if not, every seed and replication gives the same."""

def schema() -> str:
    """The JSON Schema of a document."""

def congestion_controls() -> dict[str, list[tuple[str, str, str]]]: ...
def link_profiles() -> list[tuple[str, str]]:
    """Name and summary of every link profile."""

def link_profile(name: str) -> str | None:
    """A link profile as JSON, with the origin of each number; None if no profile has this name."""

def profiles_with_path() -> list[str]: ...
def renamed_keys() -> dict[str, dict[str, str]]: ...
def capabilities() -> tuple[dict[str, tuple[bool, bool]], dict[str, int]]: ...
def registry() -> dict[str, list[tuple[str, str, str]]]:
    """The names that a scenario can use: kind -> [(name, summary, sources)]."""

def two_state(point: Point) -> tuple[float, float] | None:
    """(p_gb, p_bg) of a point's losses if they form a two-state chain exactly, else None."""

def channel_two_state(json: str) -> tuple[float, float] | None:
    """(p_gb, p_bg) of a channel table alone, such as {"kind": "burst", ...}, or None."""

def slot(point: Point) -> tuple[float, int, int]:
    """(length of a slot in seconds, bits of a packet, slots per packet) of a point."""

def implied(point: Point) -> list[dict[str, Any]]:
    """Quantities that a point on a path implies, for each table of its flows.

    In bytes: `packet`, `header` (None where packets have no insides), `payload`, `ack`, and
    `window` and `size` (None without end) of payload. `round_trip` in s and `bottleneck` in bit/s
    of the data's way, both without queues; `packet_rate`, `ack_rate`: full packets and ACKs per
    second that their links carry.
    """

def as_path(point: Point) -> Point:
    """A point as a path. Raises `ScenarioError` if its packets cannot be real ones."""

def citations(point: Point) -> list[str]:
    """Keys into the bibliography for the features that a point uses."""

def references() -> str:
    """The bibliography, in BibTeX."""

class Runner:
    """`jobs` threads that carry out the runs submitted to them, in no fixed order."""

    def __init__(self, jobs: int) -> None:
        """Start the threads. Raises `ValueError` for 0 jobs, `OSError` if there are no threads."""

    def submit(
        self,
        tag: int,
        point: Point,
        seed: int,
        replications: Sequence[int],
        links: bool = False,
    ) -> None:
        """Queue runs of a point; `tag`, 0 to 2^64 - 1, comes back with each of them.

        With `links` the counts of links and of cross-traffic follow those of flows: for each part,
        in it for each link (both directions of a hop, forward first) and then for each part and
        source, the columns of `link_names`.
        Raises `RuntimeError` after `close`.
        """

    def wait(self) -> list[tuple[int, int, bytes]]:
        """Runs finished since the last call, as (tag, replication, counts); blocks until some are.

        An empty list if nothing is outstanding. The counts are little-endian 64-bit integers: for
        each part of the run (`stop.batches`), in it for each flow, the columns of `count_names`.
        Raises `ScenarioError` for a run whose values contradict each other, `RuntimeError` for one
        that panicked, and what a signal raises; whatever else has finished is returned by another
        call.
        """

    @property
    def outstanding(self) -> int:
        """Runs that were submitted and have not been returned."""

    def close(self) -> None:
        """Cancel the runs in progress, drop those in the queue, end the threads.

        Runs that have finished are still returned by `wait`.
        """

def link_names() -> tuple[list[str], list[str]]:
    """The names of the counts of links, and the names of the counts of cross-traffic."""

def count_names(point: Point) -> list[str]:
    """The names of the counts of a point's runs, in their order."""

def count_rules() -> dict[str, tuple[str, str]]:
    """How columns of counts are taken together over the parts of a run.

    name -> (sum, most, once or latest; the name of the column that has it).
    """

class Cancel:
    """A flag that ends work on other threads, where signals do not arrive."""

    def __init__(self) -> None: ...
    def set(self) -> None:
        """Ask all work that holds the flag to end."""

class Words:
    """Words of 64 bits in memory, read through the buffer protocol: read-only, never copied."""

    def __len__(self) -> int:
        """Number of words."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

class Captures:
    """Captures that are fed piece by piece, file by file, and measured at the end."""

    def __init__(self, udp: tuple[int, int, bool] | None) -> None:
        """`udp`: offset of the number in a datagram's payload, its bytes, true if big-endian."""

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the file; raises `ValueError` for what is no capture."""

    def end_file(self) -> None:
        """End the file: what is fed after it belongs to the next one."""

    def packets(self) -> int:
        """Packets of the files that were read to their ends."""

    def measure(
        self, connection: int | None, report: Callable[[int, int], object] | None
    ) -> list[dict[str, Any]]:
        """The directions that carry data, those with most packets first."""

def trace(
    point: Point, seed: int, replication: int, room: int = ..., links: bool = ...
) -> dict[str, Any]:
    """The events of a run: for each table the fields of a record and the records.

    With `links` also what happened on them: queue, sojourns, busy and marked have records per link.
    """

def trace_ways(point: Point) -> dict[str, Any]:
    """The ends of each hop by name, and the links that flows, ACKs and cross-traffic cross."""

def trace_facts(point: Point) -> dict[str, Any]:
    """Constants of a point's events: sequence units per packet, sizes, hops, flows."""

def losses(point: Point, seed: int, replication: int, n: int) -> bytes:
    """Fates (1 = lost) of a packet in each of the first n slots of a point's data channel."""

class Losses:
    """Fates of packets in pieces for any chain: 1 lost, 0 arrived, any other byte unknown."""

    def __init__(self, fates: bytes, gaps: bytes | None, starts: Sequence[int]) -> None:
        """Compile; `gaps` are uint32 in memory, steps since the packet before, None for 1 each."""

    def __len__(self) -> int: ...
    def evaluate(
        self, transition: Sequence[float], loss: Sequence[float], derivatives: bool
    ) -> tuple[list[float], list[float], list[float], list[float], list[float]] | None:
        """Log-likelihood by piece; derivatives, or empty lists unless they are asked for.

        These are by the transitions with the starts of pieces as they are, by the transitions
        through those starts, by the probabilities of arrivals and of losses.

        None where the chain has no single law in the long run.
        """

def simulate_losses(
    chain: tuple[Sequence[float], Sequence[float], Sequence[float]],
    n: int,
    gaps: bytes | None,
    starts: Sequence[int],
    stream: tuple[int, int],
) -> Words:
    """Numbers of the packets lost that meet a chain of transitions, losses and first shares."""

def loss_pairs(losses: bytes, n: int) -> list[float]:
    """Neighbours among losses (uint64 in memory), and pairs in blocks of 2, 4, 8, ... packets."""

def shuffled_loss_pairs(lost: int, n: int, times: int, seed: int) -> list[list[float]]:
    """The same of random orders of so many losses among n packets."""

def fading(
    seconds: bytes,
    doppler: str,
    rician_k: float,
    oscillators: int | None,
    seed: int,
    replication: int,
) -> Words:
    """The gains of a fading link at these times, on the stream of a slot point's data channel.

    Both as they lie in memory: doubles, and of each gain its real and its imaginary part.
    Raises `ScenarioError` for the Doppler shift.
    """

def philox(key: Sequence[int], counter: Sequence[int], n: int) -> list[int]:
    """The first n words of the stream with this key and counter."""

def bch_codes() -> list[tuple[int, int, int]]:
    """(n, k, t) of all primitive BCH codes that have a name, by length, the largest k first."""

def uniform(seed: int, name: str, replication: int, n: int) -> list[float]:
    """The first n uniform numbers of a named stream."""

def rate_lines(text: str, columns: str) -> str:
    """The lines of a list of rates (nanoseconds, bit/s) in the text of a file."""

def rate_steps(
    rates: str, seed: int, name: str, replication: int, end: int
) -> list[tuple[int, float]]:
    """The rates of a table, as JSON, on a named stream: start of each in ns, and its bit/s."""

def outages(gate: str, seed: int, name: str, replication: int, n: int) -> list[tuple[int, int]]:
    """The first n outages of a gate, as JSON, on a named stream: start and end of each in ns.

    Fewer if there are no more. Raises `ScenarioError`.
    """

def queue_outcomes(
    point: Point, arrivals: list[tuple[int, int, int, int]], seed: int, replication: int
) -> list[tuple[bool, int]]:
    """Fates of packets (ns, bytes, flow, ECN bits) on the first hop of a point's path.

    For each packet, true if it was marked, and the time in ns at which it left; -1 if it was lost.
    """

def exact_rates(
    variant: str,
    channel: tuple[float, float],
    tcp: tuple[int, int, int],
    link: tuple[int, int],
    cancel: Cancel,
) -> dict[str, Any]:
    """The long-run rates of one variant of TCP over a link layer on a two-state channel.

    `channel`: p_gb, p_bg; `tcp`: window, dupacks, timeout; `link`: fragments, attempts. Packets are
    per slot, not times their fragments. Raises `ValueError`, also when `cancel` was set meanwhile.
    """

def replay_capture(
    capture: bytes,
    *,
    control: str | None,
    nodelay: bool | None,
    sndbuf: int | None,
    sysctl: list[tuple[str, str]],
    changes: list[str],
    differences: int,
    connection: int | None,
    report: Callable[[int, int, int], object] | None,
) -> str:
    """Replay a sender of a capture, of connection number `connection`, None: the one with most data
    that can be replayed. Returns what was found as JSON.

    `report` is called now and then with the furthest segment that was replayed, the number of
    segments, and of trials. Raises `ScenarioError`.
    """

def live_record() -> list[tuple[str, str]]:
    """Names and NumPy types of the fields of a log's records."""

def live_fates() -> list[str]:
    """Names of the fates, in the order of their codes."""

def live_run(plan: str) -> str:
    """Run the emulator in this process, which has one thread and ends with its parent.

    The plan and the report are JSON. Raises `ScenarioError`.
    """

def live_replay(
    point: Point, seed: int, replication: int, log: bytes, end: int
) -> tuple[int, int, list[tuple[list[int], list[int]]]]:
    """Replay a log: packets, further copies, and both records of those that differ."""

def packetdrill(scripts: list[tuple[str, str]]) -> str:
    """Play scripts, each a name and a text: for each a verdict, as JSON. Ctrl-C ends it."""
