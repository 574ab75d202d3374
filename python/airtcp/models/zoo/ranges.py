"""Ranges where each model is accurate: written by scripts/validity.py from its maps.

By profile, the lowest and highest value of each coordinate
(`airtcp.models.zoo.model.coordinate`).
"""

from __future__ import annotations

RANGES: dict[str, dict[str, dict[str, tuple[float, float]]]] = {
    "mathis": {
        "rfc": {
            "loss_rate": (0.0001, 0.003),
            "clustering": (1.0, 1.5),
            "rtt": (0.02, 0.5),
            "delayed_ack": (0.0, 0.1),
            "load": (0.0, 0.75),
        },
        "linux": {
            "loss_rate": (0.0001, 0.01),
            "clustering": (1.0, 1.5),
            "rtt": (0.02, 0.5),
            "load": (0.0, 1.0),
        },
    },
    "pftk": {
        "rfc": {
            "loss_rate": (0.0001, 0.01),
            "clustering": (1.0, 1.0),
            "rtt": (0.1, 0.5),
            "delayed_ack": (0.0, 0.1),
            "load": (0.0, 0.75),
        },
        "linux": {
            "loss_rate": (0.0001, 0.03),
            "clustering": (1.0, 1.0),
            "rtt": (0.1, 0.5),
            "load": (0.0, 0.75),
        },
    },
    "pftk-approximate": {
        "rfc": {
            "loss_rate": (0.0001, 0.003),
            "clustering": (1.0, 1.0),
            "rtt": (0.02, 0.5),
            "delayed_ack": (0.0, 0.1),
            "load": (0.0, 0.75),
        },
        "linux": {
            "loss_rate": (0.0001, 0.01),
            "clustering": (1.0, 1.0),
            "rtt": (0.02, 0.5),
            "load": (0.0, 1.0),
        },
    },
    "rfc9438": {
        "rfc": {
            "loss_rate": (0.0001, 0.03),
            "clustering": (1.0, 1.0),
            "rtt": (0.02, 0.5),
            "delayed_ack": (0.0, 0.1),
            "load": (0.0, 0.5),
        },
        "linux": {
            "loss_rate": (0.0001, 0.01),
            "clustering": (1.0, 1.0),
            "rtt": (0.02, 0.5),
            "load": (0.0, 1.0),
        },
    },
    "cubic-chain": {
        "rfc": {
            "loss_rate": (0.0001, 0.01),
            "clustering": (1.0, 1.5),
            "rtt": (0.02, 0.5),
            "delayed_ack": (0.0, 0.1),
            "load": (0.0, 1.0),
        },
        "linux": {
            "loss_rate": (0.001, 0.003),
            "clustering": (1.0, 1.5),
            "rtt": (0.1, 0.5),
            "load": (0.0, 1.0),
        },
    },
    "bbr": {
        "linux": {
            "loss_rate": (0.0001, 0.03),
            "clustering": (1.0, 3.0),
            "rtt": (0.02, 0.5),
            "pipe": (10, 300),
        },
    },
    "outages": {
        "rfc": {
            "up": (3, 30),
            "down_share": (0.01, 0.5),
            "pipe": (5, 30),
            "rtt": (0.02, 0.1),
            "delayed_ack": (0.0, 0.1),
        },
    },
    "kuusela": {
        "rfc": {
            "interval": (5, 40),
            "spike": (0.5, 5),
            "pipe": (5, 60),
            "rtt": (0.02, 0.5),
            "delayed_ack": (0.0, 0.1),
        },
    },
    "zorzi": {
        "rfc": {
            "loss_rate": (0.001, 0.01),
            "clustering": (1.0, 10.0),
            "window": (6, 24),
            "feedback": (0.0, 3.0),
            "timer": (30, 400),
        },
    },
    "chockalingam": {
        "rfc": {
            "loss_rate": (0.0, 0.03),
            "window": (6, 24),
            "timer": (100, 400),
        },
    },
}
