"""Additional cases, of the same kinds as the vectors: rules of apns-protocol that no vector covers.

A line of own.jsonl changes one or two parts of the base request, or names a function of this file."""
import base64
import contextlib
import json
import socket
import sqlite3
import ssl
import struct
import subprocess
import time
import urllib.request

from binary_cases import open_connection, receive
from connection_cases import BODY, headers, own_fields
from delivery_cases import Device, expect_state, restrict_power, same
from http2 import MAX_CONCURRENT_STREAMS, Closed, Connection, SettingsFrame, tls_context
from http2_cases import http2_cases  # noqa: F401: a case of own.jsonl runs it
from programs import Failure, Gateway
from provider_tokens import ProviderTokens, load_key
from request_cases import Mismatch, body_of, check, connect, expect

APP = "com.example.app"
BASE = {":method": "POST", ":scheme": "https", ":path": "/3/device/${TOK_A}",
        ":authority": "${HOST}", "authorization": "bearer ${JWT:KEYTMSBX01}", "apns-topic": APP,
        "apns-push-type": "alert"}
VALUE = '{"aps":{"alert":"Hello"}}'


def own_vector(line):
    """Returns a line of own.jsonl in the form of the vectors."""
    if "run" in line:
        return {"id": line["id"], "interface": "own", "run": line["run"]}
    fields = {name: value for name, value in (BASE | line.get("changes", {})).items()
              if name not in line.get("drop", [])}
    request = {"headers": [*fields.items(), *line.get("add", [])], "body": line.get("body", VALUE),
               "env": line.get("env", "sandbox"), "client_cert": line.get("client_cert")}
    return {"id": line["id"], "interface": "http2-device", "request": request,
            "expect": line["expect"]}


def run_own(world, vector):
    case = globals().get(vector["run"])
    if not case:
        raise Failure(f"unknown function {vector['run']}")
    return case(world)


class Bench:
    """A gateway that belongs to the case, with one device, and a connection to it."""

    def __init__(self, world, name, *options):
        self.world = world
        self.gateway = Gateway(world.belfry, world.folder, name, *options)
        self.device = self.gateway.devices(world.folder, f"{name}-device", APP, f"{APP}.second")
        tokens = [self.device.event("registered", lambda line, topic=topic: line["topic"] == topic)
                  for topic in (APP, f"{APP}.second")]
        self.token, self.second = (line["token"] for line in tokens)
        self.changes = own_fields(self.gateway, self.device, self.token)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.device.stop()
        self.gateway.program.stop()

    def connect(self):
        return connect(self.world, self.gateway)

    def fields(self, **changes):
        return headers(self.world, self.gateway, **(self.changes | changes))

    def second_fields(self, **changes):
        return self.fields(
            **({":path": f"/3/device/{self.second}", "apns-topic": f"{APP}.second"} | changes))

    def fault(self, *words):
        self.gateway.command("fault", *words)

    def expect(self, connection, status, reason=None, fields=None, body=BODY):
        answer = connection.request(fields or self.fields(), body)
        check(answer, {"status": status} | ({"reason": reason} if reason else {}))
        return answer


# Faults


def fault_reasons(world):
    """Every reason can be scripted and has its status; 410 also has a timestamp."""
    with Bench(world, "fault-reasons") as bench:
        connection = bench.connect()
        bench.expect(connection, 200)
        for reason, status in (("TooManyRequests", 429), ("InternalServerError", 500),
                               ("ServiceUnavailable", 503), ("ExpiredProviderToken", 403),
                               ("Shutdown", 503), ("BadDeviceToken", 400), ("PayloadTooLarge", 413),
                               ("IdleTimeout", 400), ("Forbidden", 403)):
            bench.fault("add", "--reason", reason)
            bench.expect(connection, status, reason)
            bench.fault("clear")
        bench.expect(connection, 200)
        for reason in ("Unregistered", "ExpiredToken"):
            bench.fault("add", "--reason", reason, "--token", bench.token.upper(), "--timestamp",
                        "1700000000123")
            answer = bench.expect(connection, 410, reason)
            expect(json.loads(answer.body)["timestamp"] == 1700000000123, f"{answer.body}")
            bench.expect(connection, 200, fields=bench.second_fields())
            bench.fault("clear")
        bench.expect(connection, 200)


def fault_for_a_token_never_issued(world):
    """A client's test can use invented tokens."""
    with Bench(world, "fault-made-up") as bench:
        connection = bench.connect()
        path = {":path": "/3/device/" + "c0ffee" * 10}
        bench.expect(connection, 400, "BadDeviceToken", bench.fields(**path))
        bench.fault("add", "--reason", "Unregistered", "--token", "c0ffee" * 10,
                    "--timestamp", "1700000000456")
        answer = bench.expect(connection, 410, "Unregistered", bench.fields(**path))
        expect(b'"timestamp":1700000000456' in answer.body, f"{answer.body}")
        # Errors of the request itself are still reported.
        bench.expect(connection, 400, "BadPriority", bench.fields(**path, **{"apns-priority": "3"}))
        bench.expect(connection, 403, "MissingProviderToken",
                     [field for field in bench.fields(**path) if field[0] != "authorization"])


def fault_share_and_topic(world):
    with Bench(world, "fault-share") as bench:
        connection = bench.connect()
        bench.fault("add", "--reason", "InternalServerError", "--share", "0.5", "--topic", APP)
        answers = [connection.request(bench.fields(), BODY).status for _ in range(200)]
        expect(set(answers) == {200, 500}, f"{set(answers)}")
        expect(60 <= answers.count(500) <= 140, f"{answers.count(500)} of 200 failed")
        for _ in range(20):
            bench.expect(connection, 200, fields=bench.second_fields())
        printed = bench.gateway.command("fault", "list", "--json")
        expect(json.loads(printed)["share"] == 0.5, printed)


def fault_goaway(world):
    """The first N requests are answered, later requests aren't, and the connection ends."""
    with Bench(world, "fault-goaway") as bench:
        bench.fault("add", "--goaway-after", "3")
        connection = bench.connect()
        for _ in range(2):
            bench.expect(connection, 200)
        stream, frames = connection.request_frames(bench.fields(), BODY)
        late, more = connection.request_frames(bench.fields(), BODY)
        connection.send(*frames, *more)
        connection.wait_closed()
        expect(connection.closed == "closed", f"{connection.closed}")
        check(connection.answers[stream], {"status": 200})
        expect(not connection.answers[late].ended, "a request after the GOAWAY was answered")
        goaway = connection.goaways[0]
        expect(goaway.last_stream_id == stream and goaway.error_code == 0
               and goaway.additional_data == b'{"reason":"Shutdown"}',
               f"{goaway.last_stream_id} {goaway.error_code} {goaway.additional_data}")
        bench.fault("clear")
        again = bench.connect()
        for _ in range(5):
            bench.expect(again, 200)


def fault_streams(world):
    """The limit applies to new and open connections, and ends together with the rule."""
    with Bench(world, "fault-streams") as bench:
        old = bench.connect()
        bench.expect(old, 200)
        limits = announced(old)
        bench.fault("add", "--streams", "1")
        bench.expect(old, 200)
        wait_setting(old, MAX_CONCURRENT_STREAMS, 1)
        new = bench.connect()
        for _ in range(3):
            bench.expect(new, 200)
        expect(set(announced(new)) == {1}, f"{announced(new)}")
        bench.fault("clear")
        bench.expect(new, 200)
        wait_setting(new, MAX_CONCURRENT_STREAMS, limits[-1])


def announced(connection):
    return [one[MAX_CONCURRENT_STREAMS] for one in connection.settings
            if MAX_CONCURRENT_STREAMS in one]


def wait_setting(connection, setting, value):
    connection.wait(lambda: any(one.get(setting) == value for one in connection.settings[1:]),
                    f"setting {setting} with {value}")


def fault_window(world):
    with Bench(world, "fault-window") as bench:
        old = bench.connect()
        bench.expect(old, 200)
        bench.fault("add", "--window", "10")
        bench.expect(old, 200)
        wait_setting(old, SettingsFrame.INITIAL_WINDOW_SIZE, 10)
        new = bench.connect()
        new.wait(lambda: new.settings, "SETTINGS")
        size = new.settings[0].get(SettingsFrame.INITIAL_WINDOW_SIZE)
        expect(size == 10, f"the window is {size}")
        stream = new.new_stream()
        new.send(new.headers_frame(bench.fields(), stream), new.data_frame(stream, BODY[:10]))
        sent = 10
        while sent < len(BODY):
            new.wait(lambda: credit(new, stream) > sent, "credit")
            end = min(credit(new, stream), len(BODY))
            new.send(new.data_frame(stream, BODY[sent:end], end_stream=end == len(BODY)))
            sent = end
        check(new.answer(stream), {"status": 200})
        bench.fault("clear")
        # The window grows again with the next request, which must fit into the window.
        bench.expect(new, 200, body=b"{}")
        wait_setting(new, SettingsFrame.INITIAL_WINDOW_SIZE, 65535)


def credit(connection, stream):
    """Returns the number of bytes that can be sent on a stream whose window was initially ten bytes."""
    return 10 + sum(frame.window_increment for frame in connection.frames
                    if type(frame).__name__ == "WindowUpdateFrame" and frame.stream_id == stream)


def fault_delay(world):
    """Answers are delayed independently of each other; a delay can be combined with a reason."""
    with Bench(world, "fault-delay") as bench:
        connection = bench.connect()
        bench.expect(connection, 200)
        bench.fault("add", "--delay", "400")
        begun = time.monotonic()
        streams, frames = [], []
        for _ in range(5):
            stream, more = connection.request_frames(bench.fields(), BODY)
            streams.append(stream)
            frames += more
        connection.send(*frames)
        for stream in streams:
            check(connection.answer(stream), {"status": 200})
        took = time.monotonic() - begun
        expect(0.4 <= took < 1.9, f"five answers took {took} s")
        bench.fault("add", "--reason", "ServiceUnavailable")
        begun = time.monotonic()
        bench.expect(connection, 503, "ServiceUnavailable")
        expect(time.monotonic() - begun >= 0.4, "the refusal was not delayed")
        stream, frames = connection.request_frames(bench.fields(), BODY)
        connection.send(*frames)
        bench.fault("clear")
        check(connection.answer(stream), {"status": 503})
        begun = time.monotonic()
        bench.expect(connection, 200)
        expect(time.monotonic() - begun < 0.4, "an answer was delayed after the rule had expired")


def fault_close(world):
    with Bench(world, "fault-close") as bench:
        connection = bench.connect()
        bench.expect(connection, 200)
        bench.fault("add", "--close", "--token", bench.token)
        bench.expect(connection, 200, fields=bench.second_fields())
        stream, frames = connection.request_frames(bench.fields(), BODY)
        connection.send(*frames)
        connection.wait_closed()
        expect(connection.closed and not connection.answers[stream].frames, "the request was answered")
        expect(not connection.goaways, "unexpected GOAWAY")
        bench.fault("clear")
        bench.expect(bench.connect(), 200)


def fault_in_production(world):
    gateway = world.gateways["production"]
    try:
        gateway.command("fault", "add", "--reason", "InternalServerError")
    except (Failure, subprocess.CalledProcessError):
        return
    raise Mismatch("a production gateway accepted a fault")


# Limits


def too_many(connection, fields, status=429):
    """Returns the number of accepted pushes in a burst of 60; all others are refused with TooManyRequests."""
    accepted = 0
    for _ in range(60):
        answer = connection.request(fields, BODY)
        if answer.status == 200:
            accepted += 1
        else:
            check(answer, {"status": status, "reason": "TooManyRequests"})
    return accepted


def device_rate(world):
    """The limit applies to one token but not to another token of the same device; after a pause, the token works
    again."""
    with Bench(world, "device-rate", "--device-rate", "5") as bench:
        connection = bench.connect()
        accepted = too_many(connection, bench.fields())
        expect(5 <= accepted < 30, f"{accepted} of 60 were accepted")
        for _ in range(4):
            bench.expect(connection, 200, fields=bench.second_fields())
        bench.expect(connection, 400, "BadPriority", bench.fields(**{"apns-priority": "3"}))
        end = time.monotonic() + 5
        while connection.request(bench.fields(), BODY).status != 200:
            expect(time.monotonic() < end, "the token was still limited after a pause")


def connection_rate(world):
    with Bench(world, "connection-rate", "--connection-rate", "5") as bench:
        connection = bench.connect()
        accepted = too_many(connection, bench.fields())
        expect(5 <= accepted < 30, f"{accepted} of 60 were accepted")
        bench.expect(bench.connect(), 200)


def team_rate(world):
    """The rate applies across all of a team's connections and topics."""
    with Bench(world, "team-rate", "--team-rate", "5") as bench:
        accepted = too_many(bench.connect(), bench.fields())
        expect(5 <= accepted < 30, f"{accepted} of 60 were accepted")
        accepted = too_many(bench.connect(), bench.second_fields())
        expect(accepted < 30, f"{accepted} of 60 more were accepted")


# Connections


def stream_limit_waits_for_a_good_token(world):
    connection = connect(world, world.gateway)
    for value in ("bearer nonsense", "bearer ${JWT:KEYTMSBX01;iat=now-4000}",
                  "bearer ${JWT:KEYTMPRD01}"):
        check(connection.request(headers(world, world.gateway, authorization=value), BODY),
              {"status": 403})
    expect(announced(connection) == [1], f"{announced(connection)}")
    check(connection.request(headers(world, world.gateway), BODY), {"status": 200})
    connection.wait(lambda: len(announced(connection)) > 1, "the second SETTINGS")
    connection.close()


def full_streams_with_a_certificate(world):
    connection = connect(world, world.gateway, certificate=world.certificate("CERT_UNI"))
    connection.wait(lambda: connection.settings, "SETTINGS")
    expect(announced(connection)[0] >= 100, f"{announced(connection)}")
    fields = [field for field in headers(world, world.gateway) if field[0] != "authorization"]
    check(connection.request(fields, BODY), {"status": 200})
    connection.close()


def captured_settings(world):
    """The values that were captured from the real service (apns-protocol 1.13)."""
    connection = connect(world, world.gateway)
    connection.wait(lambda: connection.settings, "SETTINGS")
    wanted = {SettingsFrame.HEADER_TABLE_SIZE: 4096, SettingsFrame.INITIAL_WINDOW_SIZE: 65535,
              SettingsFrame.MAX_FRAME_SIZE: 16384, SettingsFrame.MAX_HEADER_LIST_SIZE: 8000}
    for setting, value in wanted.items():
        got = connection.settings[0].get(setting)
        expect(got == value, f"setting {setting} is {got}")
    connection.close()


def one_team_a_connection(world):
    connection = connect(world, world.gateway)
    check(connection.request(headers(world, world.gateway), BODY), {"status": 200})
    foreign = headers(
        world, world.gateway, authorization="bearer ${JWT:KEYFORGN01}",
        **{":path": "/3/device/${TOK_FOREIGN}", "apns-topic": "org.foreign.app"})
    check(connection.request(foreign, BODY),
          {"status": 403, "reason_any_of": ["InvalidProviderToken", "Forbidden"]})
    check(connection.request(headers(world, world.gateway), BODY), {"status": 200})
    connection.close()


def related_keys(world):
    """Two related topic-specific keys take turns on one connection."""
    connection = connect(world, world.gateway)
    first = headers(world, world.gateway, authorization="bearer ${JWT:KEYTPSBX01}")
    second = headers(
        world, world.gateway, authorization="bearer ${JWT:KEYTPSBX02}",
        **{":path": "/3/device/${TOK_OTHER}", "apns-topic": "com.example.other"})
    for fields in (first, second, first, second):
        check(connection.request(fields, BODY), {"status": 200})
    team = headers(world, world.gateway, authorization="bearer ${JWT:KEYTMSBX01}")
    check(connection.request(team, BODY), {"status": 403, "reason": "UnrelatedKeyIdInToken"})
    connection.close()


def team_then_topic_key(world):
    connection = connect(world, world.gateway)
    check(connection.request(headers(world, world.gateway), BODY), {"status": 200})
    specific = headers(world, world.gateway, authorization="bearer ${JWT:KEYTPSBX01}")
    check(connection.request(specific, BODY), {"status": 403, "reason": "UnrelatedKeyIdInToken"})
    connection.close()


def second_token(world):
    """The first token stays valid after the second is refused; a token issued 20 minutes later is accepted."""
    connection = connect(world, world.gateway)

    def push(made):
        token = "bearer ${JWT:KEYTMSBX01;iat=now" + made + "}"
        return connection.request(headers(world, world.gateway, authorization=token), BODY)

    check(push("-2000"), {"status": 200})
    check(push("-1900"), {"status": 429, "reason": "TooManyProviderTokenUpdates"})
    check(push("-2000"), {"status": 200})
    check(push("-700"), {"status": 200})
    connection.close()


def revoked_certificate(world):
    """TLS refuses a revoked certificate; an open connection ends when its certificate is revoked."""
    gateway = world.gateway
    file = world.folder / "CERT_LATE.pem"
    printed = gateway.command("certificate", "add", "--team", "TEAMAAAAAA", "--topic", APP,
                              "--form", "uid", "--out", file, "--json")
    connection = connect(world, gateway, certificate=file)
    fields = [field for field in headers(world, gateway) if field[0] != "authorization"]
    check(connection.request(fields, BODY), {"status": 200})
    gateway.command("certificate", "revoke", json.loads(printed)["serial"])
    check(connection.request(fields, BODY), {"status": 403, "reason": "BadCertificate"})
    connection.wait_closed()
    expect(connection.goaways[0].additional_data == b'{"reason":"BadCertificate"}', "no GOAWAY")
    try:
        again = connect(world, gateway, certificate=file)
        again.wait(lambda: again.answers, "nothing")
    except (OSError, Closed):
        return
    raise Mismatch("a revoked certificate was accepted")


def revoked_key(world):
    """The revocation takes effect immediately, on an open connection."""
    with Bench(world, "revoked-key") as bench:
        connection = bench.connect()
        bench.expect(connection, 200)
        bench.gateway.command("key", "revoke", bench.gateway.ready["keyID"])
        bench.expect(connection, 403, "InvalidProviderToken")


def keys_of_one_environment(world):
    """Two team-scoped keys for each environment, and any number of keys for both environments."""
    with Bench(world, "key-numbers") as bench:
        team = bench.gateway.ready["teamID"]

        def add(*options):
            bench.gateway.command("key", "add", "--team", team, *options)

        for _ in range(3):
            add()
        for environment in ("sandbox", "production"):
            add("--environment", environment)
            add("--environment", environment)
            try:
                add("--environment", environment)
            except (Failure, subprocess.CalledProcessError):
                continue
            raise Mismatch(f"a third team-scoped key of {environment} was created")
        add("--environment", "sandbox", "--topic", APP)


# The port without TLS


def plain(bench):
    return socket.create_connection(
        (bench.gateway.host, bench.gateway.port("insecureProvider")), timeout=30)


def http1(sock, fields, body=BODY, chunked=False, slices=1):
    """Sends an HTTP/1.1 request on an open connection; returns its status, fields, and body."""
    named = {name: value for name, value in fields}
    lines = [f"{named[':method']} {named[':path']} HTTP/1.1", "Host: localhost"]
    lines += [f"{name}: {value}" for name, value in fields if not name.startswith(":")]
    if chunked:
        lines.append("Transfer-Encoding: chunked")
        data = b"".join(b"%x\r\n%s\r\n" % (len(body[start:start + 5]), body[start:start + 5])
                        for start in range(0, len(body), 5)) + b"0\r\n\r\n"
    else:
        lines.append(f"Content-Length: {len(body)}")
        data = body
    wire = "\r\n".join(lines + ["", ""]).encode() + data
    step = max(1, len(wire) // slices)
    for start in range(0, len(wire), step):
        sock.sendall(wire[start:start + step])
    return http1_answer(sock)


def http1_answer(sock):
    got = b""
    while b"\r\n\r\n" not in got:
        more = sock.recv(65536)
        if not more:
            raise Mismatch(f"the connection was closed after {got}")
        got += more
    head, body = got.split(b"\r\n\r\n", 1)
    first, *lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    while len(body) < int(fields["content-length"]):
        body += sock.recv(65536)
    return int(first.split()[1]), fields, body


def insecure_http2(world):
    """HTTP/2 with prior knowledge."""
    with Bench(world, "h2c", "--insecure-provider-port", "0") as bench:
        connection = Connection(plain(bench))
        bench.expect(connection, 200)
        bench.expect(connection, 400, "BadPriority", bench.fields(**{"apns-priority": "3"}))
        expect(announced(connection)[0] == 1, f"{announced(connection)}")


def insecure_http1(world):
    """HTTP/1.1: the same checks and answers, one request after another."""
    with Bench(world, "http1", "--insecure-provider-port", "0") as bench:
        with plain(bench) as sock:
            identity = "123e4567-e89b-12d3-a456-4266554400a0"
            fields = bench.fields(**{"apns-id": identity})
            status, got, body = http1(sock, fields)
            expect((status, got["apns-id"], body) == (200, identity, b""), f"{status} {got} {body}")
            expect("apns-unique-id" in got, "missing field apns-unique-id")
            line = bench.device.event("received", lambda line: line["apnsID"] == identity)
            expect(base64.b64decode(line["payload"]) == BODY, f"{line}")
            status, _, body = http1(sock, bench.fields(**{"apns-priority": "3"}))
            expect((status, body) == (400, b'{"reason":"BadPriority"}'), f"{status} {body}")
            status, _, body = http1(sock, bench.fields(**{":method": "GET"}), b"")
            expect((status, body) == (405, b'{"reason":"MethodNotAllowed"}'), f"{status} {body}")
            for options in ({"chunked": True}, {"slices": 300}):
                status, _, body = http1(sock, bench.fields(), **options)
                expect((status, body) == (200, b""), f"{options}: {status} {body}")
            for _ in range(1000):
                status, _, body = http1(sock, bench.fields())
                expect(status == 200, f"{status} {body}")
        with plain(bench) as sock:
            status, got, _ = http1(sock, [*bench.fields(), ("Connection", "close")])
            expect(status == 200 and got["connection"] == "close", f"{status} {got}")
            expect(sock.recv(1) == b"", "the connection was left open")
        with plain(bench) as sock:
            sock.sendall(b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n")
            expect(sock.recv(65536).startswith(b"HTTP/1.1 400 "), "TLS was not refused")


def production_refuses_a_sandbox_key(world):
    """The reverse of the vector; as in F33, two gateways run in parallel."""
    gateway, file = world.gateways["production"], world.folder / "KEYSBXPROD.p8"
    team = gateway.ready["teamID"]
    gateway.command("key", "add", "--id", "KEYSBXPROD", "--team", team, "--environment", "sandbox",
                    "--out", file)
    tokens = ProviderTokens({"K": ("KEYSBXPROD", team, load_key(file))})
    connection = connect(world, gateway)
    fields = headers(world, gateway, authorization="bearer " + tokens.make("K"),
                     **{":path": "/3/device/${TOK_PROD}"})
    check(connection.request(fields, BODY), {"status": 403, "reason": "BadEnvironmentKeyInToken"})
    # A key that the other gateway created is unknown here.
    check(connection.request(headers(world, gateway), BODY),
          {"status": 403, "reason": "InvalidProviderToken"})
    connection.close()


# The binary interface


def item(number, data):
    return struct.pack(">BH", number, len(data)) + data


def frame(*items):
    data = b"".join(items)
    return struct.pack(">BI", 2, len(data)) + data


def enhanced(identifier, token, payload, expiry=0x7F000000):
    return (struct.pack(">BII", 1, identifier, expiry) + struct.pack(">H", len(token)) + token
            + struct.pack(">H", len(payload)) + payload)


def simple(token, payload):
    return b"\0" + struct.pack(">H", len(token)) + token + struct.pack(">H", len(payload)) + payload


def error(status, identifier):
    return struct.pack(">BBI", 8, status, identifier)


def exchange(world, data, wanted, closes=True, step=None, certificate="CERT_UNI"):
    """Sends bytes in slices of `step`, and checks that the answer is `wanted`."""
    with open_connection(world, world.gateway, "binary", world.certificate(certificate)) as sock:
        for start in range(0, len(data), step or len(data)):
            sock.sendall(data[start:start + (step or len(data))])
        got, ended = receive(sock, len(wanted), 10 if closes else 0.5)
    expect(got == wanted, f"got {got.hex() or 'nothing'}, not {wanted.hex() or 'nothing'}")
    expect(ended == closes, "the connection was closed" if ended else "the connection was left open")


def binary_statuses(world):
    """Every status in the table that a frame can cause (apns-protocol 7.2)."""
    token = bytes.fromhex(world.values["TOK_A"])
    other, voip = (bytes.fromhex(world.values[name]) for name in ("TOK_OTHER", "TOK_A_VOIP"))
    gone = bytes.fromhex(world.values["TOK_GONE"])
    payload, number = VALUE.encode(), item(3, struct.pack(">I", 77))
    for what, data, wanted in (
            ("an empty token and payload", enhanced(77, b"", b""), error(2, 77)),
            ("no token", frame(item(2, payload), number), error(2, 77)),
            ("an empty token", frame(item(1, b""), item(2, payload), number), error(2, 77)),
            ("no payload", frame(item(1, token), number), error(4, 77)),
            ("an empty payload", enhanced(77, token, b""), error(4, 77)),
            ("a token of 1 byte", enhanced(77, b"\1", b"x"), error(5, 77)),
            ("a token of 31 bytes", enhanced(77, token[:31], payload), error(5, 77)),
            ("a token of 33 bytes", enhanced(77, token + b"\0", payload), error(5, 77)),
            ("a token of 100 bytes", enhanced(77, b"\1" * 100, payload), error(5, 77)),
            ("a token of 101 bytes", frame(item(1, b"\1" * 101), item(2, payload), number),
             error(5, 77)),
            ("2049 bytes of payload", enhanced(77, token, body_of("${JSON_BYTES:2049}")),
             error(7, 77)),
            ("an invented token", enhanced(77, b"\xab" * 32, payload), error(8, 77)),
            ("another app's token", enhanced(77, other, payload), error(8, 77)),
            ("a VoIP token", enhanced(77, voip, payload), error(8, 77)),
            ("a dead token", enhanced(77, gone, payload), error(8, 77)),
            ("an unknown command", b"\3" + b"\0" * 20, error(128, 0)),
            ("a frame that is too long", b"\2\xff\xff\xff\xff", error(128, 0)),
            ("an item beyond its frame", frame(item(1, token), number, b"\2\xff\xff{}"),
             error(128, 77)),
            ("a token twice", frame(item(1, token), item(1, token), item(2, payload), number),
             error(128, 77)),
            ("an identifier of 3 bytes", frame(item(1, token), item(2, payload), item(3, b"abc")),
             error(128, 0)),
            ("priority 7", frame(item(1, token), item(2, payload), number, item(5, b"\7")),
             error(128, 77)),
            ("no identifier", frame(item(1, b"\xab" * 32), item(2, payload)), error(8, 0)),
            ("the identifier 0", enhanced(0, b"\xab" * 32, payload), error(8, 0)),
            ("the greatest identifier", enhanced(0xFFFFFFFF, b"\xab" * 32, payload),
             error(8, 0xFFFFFFFF)),
            ("the simple form, which has no identifier", simple(b"\xab" * 32, payload), b""),
            ("the simple form without a token", simple(b"", payload), b"")):
        try:
            exchange(world, data, wanted)
        except Mismatch as mismatch:
            raise Mismatch(f"{what}: {mismatch}") from None


def binary_accepted(world):
    """A valid frame gets no answer, regardless of how it is sliced."""
    token = bytes.fromhex(world.values["TOK_A"])
    payload, number = VALUE.encode(), item(3, struct.pack(">I", 1))
    everything = [item(1, token), item(2, payload), number, item(4, struct.pack(">I", 0)),
                  item(5, b"\5")]
    for what, data, step in (
            ("2048 bytes, simple", simple(token, body_of("${JSON_BYTES:2048}")), None),
            ("2048 bytes, enhanced", enhanced(1, token, body_of("${JSON_BYTES:2048}")), None),
            ("2048 bytes, framed", frame(item(1, token), item(2, body_of("${JSON_BYTES:2048}")),
                                         number), None),
            ("256 bytes", simple(token, body_of("${JSON_BYTES:256}")), None),
            ("all items, the identifier first", frame(number, *everything[:2], *everything[3:]),
             None),
            ("all items backwards", frame(*reversed(everything)), None),
            ("an unknown item", frame(*everything, item(9, b"new")), None),
            ("no identifier", frame(*everything[:2]), None),
            ("expiry 0", enhanced(1, token, payload, expiry=0), None),
            ("byte by byte", frame(*everything) + enhanced(2, token, payload)
             + simple(token, payload), 1),
            ("half a frame", frame(*everything)[:-3], None)):
        try:
            exchange(world, data, b"", closes=False, step=step)
        except Mismatch as mismatch:
            raise Mismatch(f"{what}: {mismatch}") from None


def binary_syntax(world):
    """A payload that isn't exactly one JSON object is refused as on the HTTP/2 interface, and counted under its
    reason."""
    token = bytes.fromhex(world.values["TOK_A"])
    before = refused(world.gateway, "PayloadEmpty")
    for payload in (b'{"aps":{"alert":"Hello"},}', b"Hello", b'["aps"]', b'{"aps":', b"\0" * 20):
        exchange(world, enhanced(78, token, payload), error(1, 78))
        # The payload is checked before the token, as on the HTTP/2 interface.
        exchange(world, enhanced(78, b"\xab" * 32, payload), error(1, 78))
    exchange(world, simple(token, b"Hello"), b"")
    expect(refused(world.gateway, "PayloadEmpty") == before + 11, "the refusals were not counted")
    before = refused(world.gateway, "BadDeviceToken")
    exchange(world, enhanced(79, b"\xab" * 32, VALUE.encode()), error(8, 79))
    expect(refused(world.gateway, "BadDeviceToken") == before + 1, "the bad token was not counted")


def refused(gateway, reason):
    """Returns the number of pushes that the gateway has refused for a reason."""
    url = f"http://127.0.0.1:{gateway.port('console')}/metrics"
    with urllib.request.urlopen(url, timeout=30) as answer:
        text = answer.read().decode()
    line = f'belfry_pushes_refused_total{{reason="{reason}"}} '
    return sum(int(one[len(line):]) for one in text.splitlines() if one.startswith(line))


def binary_certificates(world):
    """A certificate for the other environment is refused; a certificate only for the sandbox is accepted."""
    token = bytes.fromhex(world.values["TOK_A"])
    exchange(world, enhanced(1, token, VALUE.encode()), b"", closes=False, certificate="CERT_DEV")
    exchange(world, enhanced(1, b"\xab" * 32, VALUE.encode()), error(8, 1), certificate="CERT_DEV")
    try:
        exchange(world, enhanced(1, b"\xab" * 32, VALUE.encode()), b"", certificate="CERT_PRD")
    except OSError:
        return


def binary_faults(world):
    """A scripted reason also has its status here."""
    token = bytes.fromhex(world.values["TOK_A_CONTROLS"])
    gateway = world.gateway
    for reason, status in (("InternalServerError", 1), ("Unregistered", 8), ("Shutdown", 10),
                           ("TooManyRequests", 255)):
        gateway.command("fault", "add", "--token", token.hex(), "--reason", reason)
        try:
            exchange(world, enhanced(5, token, VALUE.encode()),
                     error(status, 0 if status == 10 else 5))
        finally:
            gateway.command("fault", "clear")


def feedback_is_emptied_by_reading(world):
    """Each token is listed once, and only for its app's certificate."""
    gateway, gone = world.gateway, []
    with open_connection(world, gateway, "feedback", world.certificate("CERT_UNI")) as sock:
        receive(sock, 0, 10)
    for number in range(3):
        device = gateway.devices(world.folder, f"feedback-{number}", APP, "com.example.other")
        tokens = {line["topic"]: line["token"] for line in
                  (device.event("registered"), device.event("registered"))}
        for topic in (APP, "com.example.other"):
            device.tell(do="unregister", topic=topic)
            device.event("unregistered")
        gone.append(tokens[APP])
        device.stop()
    got = []
    for _ in range(2):
        with open_connection(world, gateway, "feedback", world.certificate("CERT_UNI")) as sock:
            data, ended = receive(sock, 10_000, 10)
        expect(ended and len(data) % 38 == 0, f"got {len(data)} bytes")
        got.append([data[start + 6:start + 38].hex() for start in range(0, len(data), 38)])
    expect(sorted(got[0]) == sorted(gone) and not got[1], f"{got}, not {gone}")


# Clients that shut down their sending side and continue to read


class Half:
    """A connection whose sending side can be shut down: TCP, or TLS with and without close_notify."""

    def __init__(self, host, port, context=None):
        self.sock = socket.create_connection((host, port), timeout=30)
        self.tls, self.sends = None, True
        if not context:
            return
        self.inward, self.outward = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.inward, self.outward, server_hostname=host)
        self.step(self.tls.do_handshake)

    def step(self, action):
        """Repeats a TLS action until the peer has sent the required data."""
        while True:
            try:
                done = action()
                self.flush()
                return done
            except ssl.SSLWantReadError:
                self.flush()
                data = self.sock.recv(65536)
                if not data:
                    self.inward.write_eof()
                self.inward.write(data)

    def flush(self):
        data = self.outward.read()
        if data and self.sends:
            self.sock.sendall(data)

    def send_last(self, data, close_notify=True):
        """Sends the last bytes, and shuts down the sending side."""
        if not self.tls:
            self.sock.sendall(data)
        else:
            self.tls.write(data)
            if close_notify:
                # Received data is set aside, because OpenSSL would search it for the peer's close_notify.
                unread = self.inward.read()
                with contextlib.suppress(ssl.SSLWantReadError):
                    self.tls.unwrap()
                self.inward.write(unread)
            self.flush()
        self.sends = False
        self.sock.shutdown(socket.SHUT_WR)

    def rest(self, seconds=20):
        """Returns all data that is received until the end of the connection."""
        self.sock.settimeout(seconds)
        got = b""
        while True:
            try:
                more = self.step(lambda: self.tls.read(65536)) if self.tls else self.sock.recv(65536)
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                return got
            except TimeoutError:
                raise Mismatch(f"the connection was not closed after {len(got)} bytes") from None
            if not more:
                return got
            got += more

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()


class Collected(Connection):
    """HTTP/2 frames that are collected to be sent in one write, or parsed from received bytes."""

    def __init__(self):
        self.wire = b""
        super().__init__(None)

    def write(self, data):
        self.wire += data

    def take(self, data):
        data = iter([data])
        self.sock = type("Bytes", (), {
            "settimeout": lambda *_: None, "recv": lambda *_: next(data, b"")})()
        self.wait_closed()


def half_closed_http2(world, half, fields, **options):
    """Sends several complete requests and one without its body, and then shuts down the sending side."""
    client = Collected()
    streams = []
    for _ in range(5):
        stream, frames = client.request_frames(fields, BODY)
        client.send(*frames)
        streams.append(stream)
    client.send(client.headers_frame(fields, client.new_stream()))
    half.send_last(client.wire, **options)
    client.take(half.rest())
    for stream in streams:
        answer = client.answers[stream]
        expect(answer.ended and answer.status == 200, f"stream {stream}: {answer.status}")


def half_closed_tls(world):
    """HTTP/2 over TLS 1.3 and 1.2, with and without close_notify."""
    gateway = world.gateway
    for maximum in (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2):
        for close_notify in (True, False):
            context = tls_context(gateway.ca, maximum=maximum)
            with Half(gateway.host, gateway.port("provider"), context) as half:
                half_closed_http2(
                    world, half, headers(world, gateway), close_notify=close_notify)


def half_closed_insecure(world):
    """HTTP/2 with prior knowledge and HTTP/1.1, as sent by `nc -N`."""
    with Bench(world, "half-closed", "--insecure-provider-port", "0") as bench:
        address = (bench.gateway.host, bench.gateway.port("insecureProvider"))
        with Half(*address) as half:
            half_closed_http2(world, half, bench.fields())
        named = dict(bench.fields())
        head = [f"POST {named[':path']} HTTP/1.1", "Host: localhost"]
        head += [f"{name}: {value}" for name, value in named.items() if name[0] != ":"]
        request = "\r\n".join(head + [f"Content-Length: {len(BODY)}", "", ""]).encode() + BODY
        for data, answers in ((request, 1), (request * 3, 3), (request + request[:-1], 1),
                              (request[:-1], 0), (b"P", 0), (b"", 0)):
            with Half(*address) as half:
                half.send_last(data)
                got = half.rest()
            expect(got.count(b"HTTP/1.1 200 ") == got.count(b"HTTP/1.1 ") == answers, f"{got}")


def half_closed_binary(world):
    """Accepted frames, and the error packet of an invalid one."""
    context = tls_context(
        world.gateway.ca, alpn=(), certificate=world.certificate("CERT_UNI"))
    good = enhanced(78, bytes.fromhex(world.values["TOK_A"]), VALUE.encode())
    bad = enhanced(79, b"\xab" * 32, VALUE.encode())
    for data, wanted in ((good, b""), (good + bad, error(8, 79)), (good + bad[:9], b"")):
        for close_notify in (True, False):
            with Half(world.gateway.host, world.gateway.port("binary"), context) as half:
                half.send_last(data, close_notify=close_notify)
                got = half.rest()
            expect(got == wanted, f"got {got.hex() or 'nothing'}")


def half_closed_feedback(world):
    """The gateway still sends the list after the client has shut down its sending side."""
    gateway = world.gateway
    context = tls_context(gateway.ca, alpn=(), certificate=world.certificate("CERT_UNI"))
    for close_notify in (True, False):
        device = gateway.devices(world.folder, f"half-closed-feedback-{close_notify}", APP)
        token = bytes.fromhex(device.event("registered")["token"])
        device.tell(do="unregister", topic=APP)
        device.event("unregistered")
        device.stop()
        with Half(gateway.host, gateway.port("feedback"), context) as half:
            half.send_last(b"", close_notify=close_notify)
            got = half.rest()
        expect(token in got, f"got {got.hex() or 'nothing'}, close_notify {close_notify}")


def half_closed_console(world):
    """Probes and scripts on the console port."""
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for data, answers in ((request, 1), (request * 4, 4), (request + request[:9], 1)):
        with Half(world.gateway.host, world.gateway.port("console")) as half:
            half.send_last(data)
            got = half.rest()
        expect(got.count(b"HTTP/1.1 200 ") == answers, f"{got}")


# Delivery


def own_device(case):
    def run(world):
        device = Device(world, f"device-{case.__name__}", APP)
        try:
            case(world, device)
        finally:
            device.close()
    return run


def go_offline(device):
    device.program.tell(do="offline")
    device.program.event("link", lambda line: line["state"] == "down"
                         and line.get("reason") != "enrolled")


@own_device
def once_does_not_replace(world, device):
    """A push with expiration 0 is not stored, and replaces no stored push."""
    go_offline(device)
    device.push("kept", expiration="${now+3600}")
    device.push("once", expiration="0")
    device.push("past", expiration="1")
    device.program.tell(do="online")
    same(device.received(1), ["kept"])


@own_device
def unregistered_while_held(world, device):
    """Stored pushes for an unregistered token are discarded, as the log reports."""
    restrict_power(world, device)
    device.push("held", priority=1)
    device.program.tell(do="unregister", topic=APP)
    device.program.event("unregistered")
    expect_state(world, device, "Discarded - Token Unregistered (From Storage)")


@own_device
def disabled_while_held(world, device):
    restrict_power(world, device)
    device.push("held", priority=5)
    device.program.tell(do="disable", topic=APP)
    device.program.event("disabled")
    expect_state(world, device, "Discarded - Disabled (From Storage)")
    device.program.tell(do="power", restricted=False)
    same(device.received(0), [])


@own_device
def ten_passes_a_restriction(world, device):
    """Priority 10 is sent immediately, regardless of the device's power state."""
    device.program.tell(do="power", restricted=True)
    device.program.event("state", lambda line: line["powerRestricted"])
    device.push("ten", priority=10)
    same(device.received(1), ["ten"])


def background_and_alert(world):
    """Throttled background pushes don't delay an alert, and the provider isn't notified of them."""
    device = Device(world, "device-background-alert", APP)
    try:
        for number in range(6):
            device.push(f"b{number}", background=True)
        device.push("alert")
        names = device.received(4)
        expect(names == ["b0", "b1", "b2", "alert"], f"{names}")
    finally:
        device.close()


def revoked_while_stopped(world):
    """A device that was revoked while the gateway was stopped leaves no rows in the store."""
    gateway = Gateway(world.belfry, world.folder, "revoked-rows")
    device = gateway.devices(world.folder, "revoked-device", APP)
    line = device.event("registered")
    fields = headers(world, gateway, **own_fields(gateway, device, line["token"]))
    device.stop()
    connection = connect(world, gateway)
    check(connection.request(fields, BODY), {"status": 200})
    connection.close()
    gateway.program.stop()
    rows = gateway.data / "notifications.sqlite"
    expect(stored(rows) == 1, f"{stored(rows)} rows are stored")
    gateway.command("device", "revoke", line["device"])
    (world.folder / "revoked-rows-ready.json").unlink()
    again = Gateway(world.belfry, world.folder, "revoked-rows")
    connection = connect(world, again)
    check(connection.request(fields, BODY), {"status": 410, "reason": "Unregistered"})
    again.program.stop()
    expect(stored(rows) == 0, f"{stored(rows)} rows are stored")


def stored(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT waiting FROM progress").fetchone()[0]
