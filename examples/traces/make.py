"""Write the rates in this folder: made up, in the columns and units of three published data sets.

Not measured: the data sets themselves have licences of their own, and are read as these are.

- `4g_drive.csv`: as D. Raca et al., "Beyond throughput: a 4G LTE dataset with channel and context
  metrics" (MMSys 2018): a row a second, `DL_bitrate` in kbit/s;
- `5g_drive.csv`: as D. Raca et al., "Beyond throughput, the next generation: a 5G dataset with
  channel and context metrics" (MMSys 2020): the same, and now and then two rows of one second;
- `starlink_drive.csv`: as B. Hu et al., "LEO Satellite vs. Cellular Networks: Exploring the
  Potential for Synergistic Integration" (CoNEXT 2023): a row a second, `throughput` in Mbit/s.

`python make.py` writes them: always the same.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
SECONDS = 300
LTE = (
    "Timestamp,Longitude,Latitude,Speed,Operatorname,CellID,NetworkMode,RSRP,RSRQ,SNR,CQI,RSSI,"
    "DL_bitrate,UL_bitrate,State"
)
OF_4G = LTE + ",NRxRSRP,NRxRSRQ,ServingCell_Lon,ServingCell_Lat,ServingCell_Distance"
OF_5G = (
    LTE + ",PINGAVG,PINGMIN,PINGMAX,PINGSTDEV,PINGLOSS,CELLHEX,NODEHEX,LACHEX,RAWCELLID,"
    "NRxRSRP,NRxRSRQ"
)
OF_STARLINK = "time,throughput,speed,latitude,longtitu,area_type"
Row = list[object]


def wandering(draw: random.Random, median: float, spread: float, memory: float) -> Iterator[float]:
    """A rate a second, whose logarithm forgets by and by."""
    state = draw.gauss(0.0, 1.0)
    while True:
        yield median * math.exp(spread * state)
        state = memory * state + math.sqrt(1.0 - memory**2) * draw.gauss(0.0, 1.0)


def radio(draw: random.Random, mode: str, rate: float) -> Row:
    """The signal that a phone reports, the better the faster."""
    level = min(int(3.0 * math.log10(1.0 + rate)), 15)
    return [mode, -115 + 2 * level, -16 + level // 3, level, max(level, 1), -95 + level]


def cellular(mode: str, draw: random.Random, median: float, start: datetime) -> Iterator[Row]:
    """Rows of a drive, with a hand-over now and then that takes some seconds."""
    rates, cell, dead = wandering(draw, median, 0.7, 0.9), 11, 0
    for second in range(SECONDS):
        if dead == 0 and draw.random() < 0.01:
            cell, dead = cell + 1, draw.randint(1, 4)
        down = 0 if dead else round(next(rates))
        dead = max(dead - 1, 0)
        when = (start + timedelta(seconds=second)).strftime("%Y.%m.%d_%H.%M.%S")
        place = [-8.394624 - 1e-4 * second, 51.886141 + 5e-5 * second, draw.randint(30, 60)]
        place = [f"{place[0]:.6f}", f"{place[1]:.6f}", place[2]]
        up = round(down / 20.0)
        signal = radio(draw, mode, down)
        yield [when, *place, "A", cell, *signal, down, up, "D" if down else "I"]


def of_4g() -> Iterator[Row]:
    """The rows of the 4G drive."""
    draw = random.Random(4)
    for row in cellular("LTE", draw, 12_000.0, datetime(2018, 1, 18, 14, 38, 18)):
        yield [*row, -110, -16, -8.39, 51.88, round(draw.uniform(100.0, 2000.0), 2)]


def of_5g() -> Iterator[Row]:
    """The rows of the 5G drive."""
    draw = random.Random(5)
    beside: Row = ["-"] * 5 + ["A4DF", "9CBA", "10805003", 10805003, -106.0, -11.0]
    for row in cellular("5G", draw, 60_000.0, datetime(2019, 12, 16, 11, 49, 59)):
        yield [*row, *beside]
        if draw.random() < 0.1:
            again = list(row)
            again[12] = round(0.9 * float(str(row[12])))
            yield [*again, *beside]


def of_starlink() -> Iterator[Row]:
    """The rows of the drive under satellites: another one every 15 s, and obstructions."""
    draw = random.Random(6)
    level, start = 1.0, datetime(2023, 4, 5, 11, 3, 7)
    for second in range(SECONDS):
        if second % 15 == 0:
            level = math.exp(draw.gauss(0.0, 0.6))
        rate = 0.0 if draw.random() < 0.03 else 80.0 * level * math.exp(draw.gauss(0.0, 0.25))
        when = (start + timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S CDT")
        place = [f"{44.99 + 1e-5 * second:.7f}", f"{-93.21 - 3e-4 * second:.7f}"]
        yield [when, f"{rate:.3g}", f"{draw.uniform(20.0, 30.0):.3f}", *place, "suburban"]


FILES = {
    "4g_drive.csv": (OF_4G, of_4g),
    "5g_drive.csv": (OF_5G, of_5g),
    "starlink_drive.csv": (OF_STARLINK, of_starlink),
}


def write(folder: Path) -> None:
    """Write all of them into a folder."""
    for name, (header, rows) in FILES.items():
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header.split(","))
            writer.writerows(rows())


if __name__ == "__main__":
    write(HERE)
