"""When something hangs, and is not merely slow on a busy machine."""

HUNG = 300  # seconds
