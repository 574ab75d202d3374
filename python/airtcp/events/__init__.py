"""What a traced run did: packets, ACKs, timers, links."""
