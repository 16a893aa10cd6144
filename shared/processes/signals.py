"""SIGTERM and SIGINT become an event, so that a process can finish what it carries."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signals() -> Iterator[asyncio.Event]:
    """A second signal of the same kind has its usual effect: whoever presses Ctrl-C twice is in a hurry."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def receive(number: signal.Signals) -> None:
        stop.set()
        loop.remove_signal_handler(number)

    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, receive, number)
    try:
        yield stop
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
