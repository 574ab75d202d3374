"""Measured links: files of captures, pings and other tools, read into measurements."""

from airtcp.measured.facts import Facts, facts
from airtcp.measured.measurement import Intervals, Measurement, Oddity, Packets
from airtcp.measured.reading import read

__all__ = ["Facts", "Intervals", "Measurement", "Oddity", "Packets", "facts", "read"]
