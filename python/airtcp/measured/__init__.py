"""Measured links: files of captures, pings and other tools, read into measurements."""
