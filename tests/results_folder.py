"""Results folders for tests: rows of any origin in the format of a sweep."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import airtcp as at
from airtcp.campaign.manifest import DataFile, Manifest

SLOTS: dict[str, Any] = {
    "profile": "zorzi",
    "title": "Two variants",
    "tcp": {"variant": ["tahoe", "newreno"], "window": [6, 12]},
    "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
    "stop": {"slots": 1000, "replications": 4},
}
PATH: dict[str, Any] = {
    "profile": "ns2",
    "tcp": {"variant": ["reno", "sack"]},
    "path": {
        "hop": [
            {
                "rate": "1Mbps",
                "delay": ["10ms", "50ms", "0.2s"],
                "queue": 20,
                "channel": {"kind": "iid", "loss_rate": 0.02},
            }
        ]
    },
    "flow": [{"count": 2}],
    "stop": {"time": "5s", "replications": 3},
}


def write(folder: Path, document: dict[str, Any], *, parts: int = 1, seed: int = 1) -> pa.Table:
    """Simulate and write a folder; returns the rows."""
    result = at.simulate(document, seed=seed, jobs=1)
    write_rows(folder, result.scenario, result.runs, parts=parts, seed=seed)
    return result.runs.replace_schema_metadata(None)


def write_rows(
    folder: Path, scenario: at.Scenario, rows: pa.Table, *, parts: int = 1, seed: int = 1
) -> None:
    """Write rows as the dataset of a complete sweep."""
    (folder / "data").mkdir(parents=True)
    size = -(-rows.num_rows // parts)
    files = []
    for number in range(parts):
        name = f"data/part-{number:05}.parquet"
        part = rows.slice(number * size, size)
        pq.write_table(part, folder / name, compression="zstd")
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        files.append(DataFile(name, part.num_rows, digest))
    points = scenario.points()
    runs = {(row["scenario"], row["replication"]) for row in rows.to_pylist()}
    manifest = Manifest(
        scenario=scenario.to_dict(),
        family=scenario.family,
        seed=seed,
        replications=scenario.replications,
        precision=None,
        coordinates=list(points[0].coordinates),
        points=len(points),
    )
    manifest.as_finished(len(runs), sum(file.rows for file in files), files).write(folder)


def change_manifest(folder: Path, *without: str, **changes: Any) -> None:
    """Replace values in a manifest, and leave keys out; its digest is right."""
    path = folder / "manifest.json"
    data = signed(json.loads(path.read_text()) | changes)
    path.write_text(json.dumps({key: data[key] for key in data if key not in without}))


def signed(data: dict[str, Any]) -> dict[str, Any]:
    """A manifest with the digest of what it says."""
    said = {key: value for key, value in data.items() if key != "digest"}
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    return said | {"digest": digest}
