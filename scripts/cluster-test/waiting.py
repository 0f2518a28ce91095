"""Waits with a limit."""
import time


class Trouble(Exception):
    """The reason that the test can't continue."""


def wait_for(condition, what, seconds, step=0.1):
    """Waits until `condition` returns a true value, and returns that value."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Trouble(f"{what} took more than {seconds} s")
        time.sleep(step)
