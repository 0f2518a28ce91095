"""Waits with a limit."""
import time


class Trouble(Exception):
    """The reason that a measurement or a test can't continue."""


def wait_for(condition, what, seconds=60, step=0.005):
    """Waits until `condition` returns a true value, and returns that value."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Trouble(f"{what} took more than {seconds} s")
        time.sleep(step)
