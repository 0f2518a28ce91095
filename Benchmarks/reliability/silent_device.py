"""Measures the gateway's memory for a device that acknowledges nothing and has a large backlog."""
import pathlib
import time

from .processes import Devices, Gateway, Trouble, resident_bytes, wait_for
from .provider import Answers, Provider

TOPIC = "com.example.reliability"
PADDING = 3_000  # bytes of a payload
SILENT_SECONDS = 10


def measure(belfry, folder, rows, seed):
    gateway = Gateway(belfry, folder, "--loops", "1")
    gateway.command("topic", "add", "--team", gateway.ready["teamID"], "--keep", "all", TOPIC)
    devices = Devices(gateway, "devices", 1, TOPIC, "--ack", "never")
    tokens = dict(devices.wait_registered())
    devices.program.order(do="offline")
    wait_for(lambda: not devices.up, "the device's disconnection")
    answers = Answers()
    provider = Provider(gateway, gateway.jwt(), TOPIC, tokens, answers, 1e9, under_way=500, padding=PADDING)
    provider.start()
    wait_for(lambda: len(answers.accepted) >= rows, "the backlog", 900, 0.1)
    provider.stop()
    provider.join(30)
    count = len(answers.accepted)
    if answers.refused:
        raise Trouble(f"pushes were refused: {answers.refused}")
    # Restart first, so that the memory used to accept the backlog doesn't count.
    gateway.program.end()
    gateway.start()
    gateway.wait_ready()
    time.sleep(1)
    before = resident_bytes(gateway.pid)
    devices.wait_up(set(tokens))
    end, most = time.monotonic() + SILENT_SECONDS, 0
    while time.monotonic() < end:
        most = max(most, resident_bytes(gateway.pid))
        time.sleep(0.05)
    devices.program.end()
    size = sum(file.stat().st_size for file in pathlib.Path(gateway.data).glob("notifications.sqlite*"))
    gateway.program.end()
    return {"rows": count, "storeMegabytes": round(size / 1e6), "before": round(before / 1e6, 1),
            "most": round(most / 1e6, 1), "grown": round((most - before) / 1e6, 1)}


def line(result):
    return (f"a silent device with a backlog of {result['rows']} rows ({result['storeMegabytes']} MB): the gateway's "
            f"memory grows by {result['grown']} MB, from {result['before']} MB")
