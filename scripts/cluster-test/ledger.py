"""The ledger: the answers that the providers received, and the notifications that the devices showed."""
import collections
import threading
import time


class Ledger:
    """Can be used from any thread. The counts of pushes are those of the present fault."""

    def __init__(self):
        self.lock = threading.Lock()
        self.shown = {}  # unique ID: the devices that showed the notification, since the start of the part
        self.accepted = {}  # unique ID: (device, gateway, time), of all pushes that must arrive
        self.begin()

    def begin(self):
        with self.lock:
            self.started = time.monotonic()
            self.current = set()  # the accepted pushes that must arrive
            self.once = {}  # the accepted pushes with expiration 0: (device, gateway, sent, answered)
            self.statuses = collections.Counter()
            self.times = collections.defaultdict(list)  # gateway: the times of its 200s to pushes that are stored
            self.seconds = collections.defaultdict(lambda: [0, 0])  # (gateway, second): 200s and 503s
            self.unknown, self.slowest = 0, 0.0
            self.receipts, self.doubled, self.strays = [], [], []

    def answer(self, gateway, status, unique, device, is_once, sent):
        now = time.monotonic()
        with self.lock:
            self.statuses[f"{status}{' once' if is_once else ''}"] += 1
            if not is_once:
                self.seconds[gateway, int(now - self.started)][status != 200] += 1
            if status != 200:
                return
            self.slowest = max(self.slowest, now - sent)
            if is_once:
                self.once[unique] = (device, gateway, sent, now)
                return
            self.accepted[unique] = (device, gateway, time.time())
            self.current.add(unique)
            self.times[gateway].append(now)

    def lose(self, count):
        """Counts pushes that were not answered."""
        with self.lock:
            self.unknown += count

    def show(self, unique, device):
        with self.lock:
            self.receipts.append(time.monotonic())
            if unique in self.shown:
                self.shown[unique].append(device)
                self.doubled.append({"unique": unique, "devices": self.shown[unique], "time": time.time()})
            else:
                self.shown[unique] = [device]

    def missing(self):
        """Returns the accepted pushes of the present fault that no device has shown yet."""
        with self.lock:
            return {one: self.accepted[one] for one in self.current if one not in self.shown}

    def missing_once(self):
        """Returns the accepted pushes with expiration 0 that no device has shown."""
        with self.lock:
            return {one: push for one, push in self.once.items() if one not in self.shown}

    def misdelivered(self):
        with self.lock:
            return [one for one in self.current if one in self.shown and self.shown[one][0] != self.accepted[one][0]]

    def per_second(self, gateway):
        """Returns the number of accepted and of refused pushes that are stored, for each second of the fault."""
        with self.lock:
            end = max((second for _, second in self.seconds), default=0)
            return [self.seconds.get((gateway, second), [0, 0]) for second in range(end + 1)]

    def gap(self, gateway, start, end):
        """Returns the longest time, in seconds, without a 200 of this gateway to a push that is stored."""
        with self.lock:
            return longest_gap(self.times[gateway], start, end)

    def receipt_gap(self, start, end):
        with self.lock:
            return longest_gap(self.receipts, start, end)

    def last_accepted(self, gateway):
        with self.lock:
            return self.times[gateway][-1] if self.times[gateway] else 0.0


def longest_gap(times, start, end):
    """Returns the longest time between two of these times that overlaps the interval from `start` to `end`."""
    before = max((one for one in times if one < start), default=start)
    points = [before, *(one for one in times if start <= one <= end)]
    points.append(min((one for one in times if one > end), default=end))
    return max((later - earlier for earlier, later in zip(points, points[1:])), default=0.0)
