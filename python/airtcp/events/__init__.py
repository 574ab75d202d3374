"""Events of a traced run: packets, ACKs, timers, links."""
