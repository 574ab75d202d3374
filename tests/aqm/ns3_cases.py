"""Settings of the queue discs of ns-3, and parameters of transcriptions that say the same."""

import hashlib

from aqm import link

# queue: {case: (attributes in ns-3, parameters of the transcription)}
CASES = {
    "codel": {
        "default": ({}, {}),
        "ecn": ({"UseEcn": "true"}, {"ecn": True}),
        "bytes": ({"MaxSize": "60000B"}, {"limit": 60000, "limit_unit": "bytes"}),
        "ce_threshold": (
            {"UseEcn": "true", "CeThreshold": "2ms"},
            {"ecn": True, "ce_threshold": 2 * link.MS},
        ),
        "ce_threshold_alone": ({"CeThreshold": "2ms"}, {"ce_threshold": 2 * link.MS}),
        "other_times": (
            {"Target": "15ms", "Interval": "40ms", "MinBytes": "3000"},
            {"target": 15 * link.MS, "interval": 40 * link.MS, "maxpacket": 3000},
        ),
    },
    "fq_codel": {
        "default": ({"UseEcn": "true", "MaxSize": "10240p"}, {}),
        "small": ({"UseEcn": "false", "MaxSize": "100p"}, {"ecn": False, "limit": 100}),
        "fewer_flows": (
            {"UseEcn": "false", "MaxSize": "200p", "Flows": "4", "DropBatchSize": "8"},
            {"ecn": False, "limit": 200, "flows": 4, "drop_batch": 8},
        ),
        "small_ecn": ({"UseEcn": "true", "MaxSize": "60p"}, {"limit": 60}),
    },
    "pie": {
        "default": ({"MaxBurstAllowance": "150ms"}, {}),
        "burst_15": ({"MaxBurstAllowance": "15ms"}, {"max_burst": 15 * link.MS}),
        "ecn": ({"MaxBurstAllowance": "150ms", "UseEcn": "true"}, {"ecn": True}),
        "derandomize": (
            {"MaxBurstAllowance": "150ms", "UseDerandomization": "true"},
            {"derandomize": True},
        ),
        "derandomize_ecn": (
            {
                "MaxBurstAllowance": "150ms",
                "UseDerandomization": "true",
                "UseEcn": "true",
            },
            {"derandomize": True, "ecn": True},
        ),
        "bytes": (
            {"MaxBurstAllowance": "150ms", "MaxSize": "80000B"},
            {"limit": 80000, "limit_unit": "bytes", "safeguard": "bytes", "byte_mode": True},
        ),
        "no_cap": (
            {"MaxBurstAllowance": "150ms", "UseCapDropAdjustment": "false"},
            {"cap_drop": False},
        ),
    },
    "red": {
        "default": ({}, {}),
        "nowait": ({"Wait": "false", "LInterm": "10"}, {"wait": False, "max_p": 0.1}),
        "hard": ({"Gentle": "false", "LInterm": "10"}, {"gentle": False, "max_p": 0.1}),
        "ecn": ({"UseEcn": "true", "UseHardDrop": "false"}, {"ecn": True, "hard_drop": False}),
        "bytes": (
            {"MaxSize": "90000B", "MinTh": "7500", "MaxTh": "30000", "MeanPktSize": "1000"},
            {
                "limit": 90000,
                "unit": "bytes",
                "min_th": 7500,
                "max_th": 30000,
                "mean_pktsize": 1000,
                "byte_mode": "ns3",
            },
        ),
        "adaptive": ({"AdaptMaxP": "true"}, {"adapt": True}),
    },
}

GRAIN = 2.328306549295727688e-10  # of a uniform number of ns-3: 1/(m1 + 1) of MRG32k3a


def digest(fates):
    """A short digest of (fate, departure) of all packets."""
    text = "".join(f"{fate} {departure}\n" for fate, departure in fates)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
