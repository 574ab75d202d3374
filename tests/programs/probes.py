"""UDP probes and their echo, programs on the two sides of a path: `send N`, and `echo`."""

import os
import socket
import sys
import time

PORT = 7007


def echo() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind((os.environ["AIRTCP_ADDRESS"], PORT))
        while True:
            data, sender = end.recvfrom(2048)
            end.sendto(data[: max(20, len(data) // 2)], sender)


def send(count: int) -> None:
    """In bursts of ten that a path of 10 Mbit/s carries in half of the pauses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        for number in range(count):
            if number % 10 == 0:
                time.sleep(0.005)
            end.sendto(bytes(100 + 37 * (number % 8)), (os.environ["AIRTCP_PEER"], PORT))
        time.sleep(0.2)


if __name__ == "__main__":
    if sys.argv[1] == "echo":
        echo()
    else:
        send(int(sys.argv[2]))
