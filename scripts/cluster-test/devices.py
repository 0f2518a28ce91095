"""The devices: one process of `belfry device run` that holds all of them, and a thread that makes them flap."""
import collections
import json
import random
import subprocess
import threading
import time

from gateways import BALANCER, PORTS, TOPIC
from waiting import wait_for

REGISTER_SECONDS = 300


class Devices:
    """Virtual devices, which drop repeated notifications as docs/device-link.md specifies, and print the others."""

    def __init__(self, belfry, folder, count, authority, ledger):
        self.ledger, self.count = ledger, count
        self.tokens, self.up, self.reasons = {}, set(), {}
        self.changes = collections.defaultdict(list)  # device: the times at which its link went up or down
        self.lock = threading.Lock()
        with open(folder / "logs/devices.log", "ab") as log:
            self.process = subprocess.Popen(
                [belfry, "device", "run", "--gateway", f"{BALANCER}:{PORTS['device']}", "--ca", authority,
                 "--count", str(count), "--data", str(folder / "devices"), "--app", TOPIC,
                 # A frozen gateway must not occupy every place.
                 "--connecting", str(count)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            kind, device = event["event"], event.get("device")
            if kind == "received":
                self.ledger.show(event["uniqueID"].lower(), device)
            elif kind == "registered":
                self.tokens[device] = event["token"]
            elif kind == "link" and event["state"] == "up":
                self.up.add(device)
                self.changes[device].append((time.monotonic(), True))
            elif kind == "link":
                self.up.discard(device)
                self.changes[device].append((time.monotonic(), False))
                self.reasons[event["reason"]] = self.reasons.get(event["reason"], 0) + 1

    def order(self, verb, devices):
        lines = "".join(f'{{"do":"{verb}","device":{device}}}\n' for device in devices)
        with self.lock:
            self.process.stdin.write(lines.encode())
            self.process.stdin.flush()

    def was_up(self, device, start, end):
        """Returns true if the device's link was up during the whole interval."""
        is_up = False
        for moment, state in self.changes[device]:
            if moment < start:
                is_up = state
            elif moment <= end:
                return False
        return is_up

    def wait_registered(self):
        wait_for(lambda: len(self.tokens) == self.count, "the registration of the devices", REGISTER_SECONDS, 0.5)
        return sorted(self.tokens)


class Flapping(threading.Thread):
    """Disconnects random devices, `rate` per second, and connects each of them again after up to three seconds."""

    AWAY_SECONDS = 3

    def __init__(self, devices, rate, seed):
        super().__init__(daemon=True)
        self.devices, self.rate, self.chance = devices, rate, random.Random(seed)
        self.numbers, self.away, self.is_on, self.returning = sorted(devices.tokens), set(), False, []

    def run(self):
        while True:
            time.sleep(1 / self.rate)
            now = time.monotonic()
            due = [device for moment, device in self.returning if moment <= now and device not in self.away]
            self.returning = [one for one in self.returning if one[0] > now]
            if due:
                self.devices.order("online", due)
            device = self.chance.choice(self.numbers)
            if self.is_on and device not in self.away:
                self.devices.order("offline", [device])
                self.returning.append((now + self.chance.uniform(0, self.AWAY_SECONDS), device))

    def begin(self, away):
        """Starts the flapping, and keeps the devices of `away` offline."""
        self.away = away
        self.devices.order("offline", away)
        self.is_on = True

    def end(self):
        """Stops the flapping, and connects every device again."""
        self.is_on, self.away = False, set()
        self.devices.order("online", self.numbers)
