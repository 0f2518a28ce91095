"""Reads very many rows from the feedback service, and measures how this delays pushes and administration."""
import http.client
import json
import pathlib
import socket
import ssl
import threading
import time

from .processes import Devices, Gateway, Trouble
from .provider import Answers, Provider, percentile
from .stores import connect

TOPIC = "com.example.reliability"
TUPLE_BYTES = 38  # seconds, length, 32 bytes of token
CALM_SECONDS = 5


class Administrator(threading.Thread):
    """Changes an app repeatedly; each change passes through the main loop and every other loop."""

    def __init__(self, gateway):
        super().__init__(daemon=True)
        self.gateway, self.going, self.milliseconds = gateway, True, []
        self.token = pathlib.Path(gateway.ready["adminTokenFile"]).read_text().strip()

    def run(self):
        body = json.dumps({"team": self.gateway.ready["teamID"], "topic": "com.example.other"})
        connection = http.client.HTTPConnection("127.0.0.1", self.gateway.ports["console"])
        while self.going:
            start = time.monotonic()
            connection.request("POST", "/api/topics", body,
                               {"authorization": f"Bearer {self.token}", "content-type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise Trouble(f"a change got status {answer.status}")
            self.milliseconds.append((time.monotonic() - start) * 1_000)
            time.sleep(0.02)


def measure(belfry, folder, rows, seed):
    gateway = Gateway(belfry, folder)
    devices = Devices(gateway, "devices", 4, TOPIC)
    tokens = dict(devices.wait_registered())
    certificate = gateway.folder / "provider.pem"
    gateway.command("certificate", "add", "--team", gateway.ready["teamID"], "--topic", TOPIC, "--out", certificate)
    gateway.program.end()
    fill(gateway.data / "control.sqlite", rows)
    gateway.start()
    gateway.wait_ready(300)
    devices.wait_up(set(tokens))
    calm, busy = [phase(gateway, tokens, body) for body in
                  (lambda: time.sleep(CALM_SECONDS), lambda: read_all(gateway, certificate, rows))]
    devices.program.end()
    gateway.program.end()
    return {"rows": rows, "calm": calm, "reading": busy}


def fill(path, count):
    store = connect(path)
    app, = store.execute("SELECT number FROM app").fetchone()
    now = int(time.time() * 1_000)
    with store:
        store.executemany("INSERT INTO registration VALUES (?, ?, 1, 1, 3, ?)",
                          (((7 << 22) + index, app, now - index) for index in range(count)))
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def read_all(gateway, certificate, rows):
    size = sum(len(data) for data in readings(gateway, certificate))
    if size != rows * TUPLE_BYTES:
        raise Trouble(f"the feedback service sent {size / TUPLE_BYTES} of {rows} rows: {gateway.program.last_words()}")


def read_tokens(gateway, certificate):
    """Returns the tokens, in hexadecimal, that a client of the feedback service reads."""
    data = b"".join(readings(gateway, certificate))
    if len(data) % TUPLE_BYTES:
        raise Trouble(f"the feedback service stopped within a row: {gateway.program.last_words()}")
    return [data[start + 6:start + TUPLE_BYTES].hex() for start in range(0, len(data), TUPLE_BYTES)]


def readings(gateway, certificate):
    context = ssl.create_default_context(cafile=gateway.ready["caFile"])
    context.check_hostname = False
    context.load_cert_chain(certificate)
    address = (gateway.ready["host"], gateway.ports["feedback"])
    with context.wrap_socket(socket.create_connection(address, 120), server_hostname="localhost") as sock:
        while data := sock.recv(1 << 16):
            yield data


def phase(gateway, tokens, body):
    answers = Answers()
    jwt = gateway.jwt()
    providers = [Provider(gateway, jwt, TOPIC, tokens, answers, 100, under_way=8) for _ in range(2)]
    administrator = Administrator(gateway)
    for thread in (*providers, administrator):
        thread.start()
    time.sleep(1)
    answers.milliseconds.clear()
    administrator.milliseconds.clear()
    start = time.monotonic()
    body()
    seconds = time.monotonic() - start
    administrator.going = False
    for provider in providers:
        provider.stop()
    for thread in (*providers, administrator):
        thread.join(30)
    return {"seconds": round(seconds, 2), "p99": round(percentile(answers.milliseconds, 0.99), 1),
            "slowest": round(max(answers.milliseconds, default=0), 1),
            "slowestChange": round(max(administrator.milliseconds, default=0), 1)}


def line(result):
    calm, busy = result["calm"], result["reading"]
    return (f"{result['rows']} rows of feedback in {busy['seconds']} s: slowest push during this time "
            f"{busy['slowest']} ms (baseline: {calm['slowest']} ms), slowest change through the main loop "
            f"{busy['slowestChange']} ms (baseline: {calm['slowestChange']} ms)")
