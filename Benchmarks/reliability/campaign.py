"""Sends a localized campaign to very many devices, kills its provider three times, and counts the deliveries to each
device.

Some of the devices are connected virtual devices. The others are only registered and remain offline, so that each push
to them becomes a row in the gateway's store, which keeps all of the rows (`--keep all`)."""
import base64
import collections
import json
import pathlib
import random
import sqlite3
import threading
import time
import urllib.error
import urllib.request

from .feedback import read_tokens
from .processes import Devices, Gateway, Program, Trouble, cpu_seconds, wait_for
from .stores import connect

TOPIC = "com.example.reliability"
CONNECTED = 2_000
KILLS = 3
PAGE = 5_000  # tokens per request, whose body is limited to a megabyte
# The first bytes of the records in the store, and the bytes before the positions in a record of ends.
STORED_TAG, ENDS_TAG, ENDS_HEAD_BYTES = 0xA1, 0x5E, 10
# The languages of the devices, and the title that each device should show; devices in Japanese show the fallback.
TITLES = {"en": "Hello", "fr-CA": "Salut", "de": "Hallo", "ja": "Hello"}
ALERT = {"en": {"title": "Hello", "body": {"one": "%d match", "other": "%d matches"}},
         "fr": {"title": "Salut", "body": {"one": "%d match", "other": "%d matchs"}},
         "de": {"title": "Hallo", "body": {"one": "%d Treffer", "other": "%d Treffer"}}}


class Registry:
    """`belfry provider`, which uses the same port at each start, and the total cost of its processes."""

    def __init__(self, gateway):
        self.gateway, self.data = gateway, gateway.folder / "provider"
        self.ready_file = gateway.folder / "provider.json"
        self.cpu, self.peak, self.port = 0.0, 0, 0
        self.start()

    def start(self):
        self.ready_file.unlink(missing_ok=True)
        self.program = Program(
            self.gateway.belfry,
            ["provider", "--data", self.data, "--port", self.port, "--ready-file", self.ready_file, "--topic", TOPIC,
             "--gateway", self.gateway.data / "gateway.json"], self.gateway.folder, "provider")
        wait_for(self.is_ready, "the provider's start")
        ready = json.loads(self.ready_file.read_text())
        self.port = ready["port"]
        self.token = pathlib.Path(ready["adminTokenFile"]).read_text().strip()

    def is_ready(self):
        if self.program.process.poll() is not None:
            raise Trouble(f"the provider did not start: {self.program.last_words()}")
        return self.ready_file.exists()

    def note_cost(self):
        self.cpu += cpu_seconds(self.program.pid)
        for line in pathlib.Path(f"/proc/{self.program.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                self.peak = max(self.peak, int(line.split()[1]) * 1024)

    def kill(self):
        self.note_cost()
        self.program.kill()

    def end(self):
        self.note_cost()
        self.program.end()

    def ask(self, method, path, body=None, kind="application/json"):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", body, method=method,
            headers={"authorization": f"Bearer {self.token}", "content-type": kind})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise Trouble(f"{method} {path}: {error.code} {error.read().decode()[:500]}") from error


class Receipts:
    """The deliveries to the connected devices: the number of deliveries and the title for each device."""

    def __init__(self):
        self.counts, self.titles, self.lock = collections.Counter(), {}, threading.Lock()

    def note(self, event):
        with self.lock:
            self.counts[event["device"]] += 1
            self.titles[event["device"]] = json.loads(base64.b64decode(event["payload"]))["aps"]["alert"]["title"]


def measure(belfry, folder, devices, seed):
    chance = random.Random(seed)
    gateway, receipts = Gateway(belfry, folder), Receipts()
    gateway.command("topic", "add", "--team", gateway.ready["teamID"], "--keep", "all", TOPIC)
    connected = min(CONNECTED, devices // 2)
    fleet = Devices(gateway, "devices", connected, TOPIC, on_received=receipts.note)
    tokens = dict(fleet.wait_registered())
    away = register_absent(gateway, devices - connected, seed)
    fleet.wait_up(set(tokens))

    registry = Registry(gateway)
    languages, spoken = {}, collections.Counter()
    begun = time.monotonic()
    page = []
    for token in [*tokens.values(), *away]:
        language = chance.choice(list(TITLES))
        if len(languages) < connected:
            languages[token] = language
        else:
            spoken[TITLES[language]] += 1
        page.append(json.dumps({"deviceToken": token, "language": language, "timeZone": "Europe/Paris"}))
        if len(page) == PAGE:
            registry.ask("POST", "/tokens", "\n".join(page).encode(), "text/plain")
            page = []
    if page:
        registry.ask("POST", "/tokens", "\n".join(page).encode(), "text/plain")
    registering = time.monotonic() - begun
    del away
    registration_cpu = cpu_seconds(registry.program.pid)

    gateway_cpu = cpu_seconds(gateway.pid)
    begun = time.monotonic()
    campaign = registry.ask("POST", "/campaigns", json.dumps(
        {"topic": TOPIC, "alert": ALERT, "arguments": [3], "fallback": "en", "to": "all",
         "payload": {"aps": {"sound": "default"}}}).encode())["id"]

    def status():
        return registry.ask("GET", f"/campaigns/{campaign}")

    kills, down = 0, 0.0
    for kill in range(KILLS):
        share = (kill + 1) / (KILLS + 1) * chance.uniform(0.9, 1.1)
        wait_for(lambda: status()["sent"] >= devices * share, "a part of the campaign", 3_600, 0.2)
        registry.kill()
        moment = time.monotonic()
        kills += 1
        registry.start()
        down += time.monotonic() - moment
    wait_for(lambda: status()["state"] == "completed", "the campaign", 7_200, 0.5)
    seconds = time.monotonic() - begun
    wait_for(lambda: len(receipts.counts) == connected, "the last receipt", 120, 0.1)
    outcome = status()
    gateway_cpu = cpu_seconds(gateway.pid) - gateway_cpu
    registry.end()
    fleet.program.end()
    gateway.program.end()

    rows, owners, titles = stored(gateway.data / "notifications.sqlite")
    wrong = [device for device, title in receipts.titles.items() if title != TITLES[languages[tokens[device]]]]
    missing = (devices - connected - owners) + (connected - len(receipts.counts))
    doubled = (rows - owners) + sum(count > 1 for count in receipts.counts.values())
    if titles != spoken or wrong:
        raise Trouble(f"alerts in a wrong language: {titles} stored, {spoken} expected, "
                      f"{len(wrong)} wrong on connected devices")
    if outcome["accepted"] != devices:
        raise Trouble(f"the campaign's counts differ: {outcome}")
    return {"devices": devices, "connected": connected, "kills": kills, "lost": missing, "doubled": doubled,
            "registeringSeconds": round(registering, 1), "registeringCPU": round(registration_cpu, 1),
            "seconds": round(seconds, 1), "downSeconds": round(down, 1), "rate": round(devices / seconds),
            "providerCPU": round(registry.cpu - registration_cpu, 1), "gatewayCPU": round(gateway_cpu, 1),
            "megabytes": round(registry.peak / 1e6)}


def register_absent(gateway, count, seed):
    """Returns the tokens of `count` offline devices, after writing the devices to the store and reading the tokens from
    the feedback service."""
    certificate = gateway.folder / "provider.pem"
    gateway.command("certificate", "add", "--team", gateway.ready["teamID"], "--topic", TOPIC, "--out", certificate)
    gateway.program.end()
    fill(gateway.data / "control.sqlite", count, seed)
    gateway.start()
    gateway.wait_ready(300)
    tokens = read_tokens(gateway, certificate)
    gateway.program.end()
    store = connect(gateway.data / "control.sqlite")
    with store:
        store.execute("UPDATE registration SET state = 1 WHERE state = 3")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    gateway.start()
    gateway.wait_ready(300)
    if len(tokens) != count:
        raise Trouble(f"read {len(tokens)} of {count} tokens")
    return tokens


def fill(path, count, seed):
    chance = random.Random(seed)
    store = connect(path)
    app, = store.execute("SELECT number FROM app").fetchone()
    epoch = chance.randrange(1, 1 << 31)
    now = int(time.time() * 1_000)
    numbers = [((epoch + (index >> 22)) << 22) + (index & 0x3FFFFF) + 1 for index in range(count)]
    with store:
        store.executemany("INSERT INTO device (number, key_hash, name, enrolled) VALUES (?, randomblob(32), 'away', ?)",
                          ((number, now) for number in numbers))
        store.executemany("INSERT INTO registration VALUES (?, ?, 1, 1, 3, ?)",
                          ((number, app, now - index) for index, number in enumerate(numbers)))
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def stored(path):
    """Returns the number of stored notifications, the number of their devices, and their titles.

    The store is a log (decision 0025): a row is the record of a notification, or names rows that are no longer needed.
    """
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    records = dict(store.execute("SELECT position, data FROM notification"))
    store.close()
    for data in [data for data in records.values() if data[0] == ENDS_TAG]:
        copy, position, distance, shift = data[:len(data) // 2], 0, 0, 0
        for byte in copy[ENDS_HEAD_BYTES:-4]:
            distance |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                position += distance
                records.pop(position, None)
                distance, shift = 0, 0
    rows = [data for data in records.values() if data[0] == STORED_TAG]
    titles = collections.Counter(
        json.loads(data[data[1] + int.from_bytes(data[74:76], "little"):-1])["aps"]["alert"]["title"] for data in rows)
    return len(rows), len({data[2:10] for data in rows}), titles


def line(result):
    return (f"a campaign in three languages to {result['devices']} devices ({result['connected']} connected, the others "
            f"offline), with the provider killed {result['kills']} times: {result['lost']} devices left out, "
            f"{result['doubled']} received it twice; {result['seconds']} s, including {result['downSeconds']} s for "
            f"the restarts, {result['rate']} pushes per second, {result['providerCPU']} s of the provider's processor "
            f"time and {result['gatewayCPU']} s of the gateway's, at most {result['megabytes']} MB in the provider; "
            f"registration took {result['registeringSeconds']} s")
