"""Measures the start of a gateway with many devices, each with a certificate and a registration."""
import hashlib
import random
import time

from .processes import Devices, Gateway, cpu_seconds, resident_bytes
from .stores import connect

TOPIC = "com.example.reliability"
STARTS = 5  # the machine is shared, so the fastest of them is the cost of a start


def measure(belfry, folder, devices, seed):
    gateway = Gateway(belfry, folder)
    fleet = Devices(gateway, "devices", 1, TOPIC)
    fleet.wait_registered()
    fleet.program.end()
    gateway.program.end()
    fill(gateway.data / "control.sqlite", devices, seed)
    starts = []
    for _ in range(STARTS):
        begun = time.monotonic()
        gateway.start()
        gateway.wait_ready(120)
        starts.append((time.monotonic() - begun, cpu_seconds(gateway.pid), resident_bytes(gateway.pid)))
        gateway.program.end()
    return {"devices": devices, "seconds": round(min(one[0] for one in starts), 2),
            "median": round(sorted(one[0] for one in starts)[STARTS // 2], 2),
            "cpuSeconds": round(min(one[1] for one in starts), 2),
            "megabytes": round(starts[0][2] / 1e6)}


def fill(path, count, seed):
    chance = random.Random(seed)
    store = connect(path)
    app, = store.execute("SELECT number FROM app").fetchone()
    # Epochs like those that several hundred starts of a gateway would generate.
    epochs = sorted(chance.sample(range(1, 1 << 31), 200))
    numbers = [(epoch << 22) + index for epoch in epochs for index in range(1, count // 200 + 1)]
    now = int(time.time() * 1_000)
    with store:
        store.executemany(
            "INSERT INTO device (number, key_hash, name, enrolled) VALUES (?, ?, ?, ?)",
            ((number, hashlib.sha256(str(number).encode()).digest(), "a device", now)
             for number in numbers))
        store.executemany(
            "INSERT INTO device_certificate (serial, device, not_after, shown) VALUES (?, ?, ?, 0)",
            ((f"{number:040x}", number, now // 1_000 + 10**8) for number in numbers))
        store.executemany(
            "INSERT INTO registration VALUES (?, ?, 1, 1, 1, ?)",
            ((number, app, now) for number in numbers))
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def line(result):
    return (f"start with {result['devices']} devices and registrations: {result['seconds']} s (fastest of "
            f"{STARTS}; median {result['median']} s), {result['cpuSeconds']} s of processor time, "
            f"{result['megabytes']} MB")
