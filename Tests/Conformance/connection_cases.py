"""Runs the vectors that test a whole HTTP/2 connection."""
import re
import signal
import ssl
import time

from http2 import (
    MAX_CONCURRENT_STREAMS, Closed, Connection, PingFrame, PriorityFrame, RstStreamFrame,
    connect_tls, tls_context)
from programs import Failure, Gateway
from provider_tokens import ProviderTokens, load_key
from request_cases import Mismatch, check, connect, expect, filled, send

BODY = b'{"aps":{"alert":"Hello"}}'


def headers(world, gateway, **changes):
    """Returns the fields of the base request (apns-protocol 9.1)."""
    fields = {
        ":method": "POST", ":scheme": "https", ":path": "/3/device/${TOK_A}",
        ":authority": "${HOST}", "authorization": "bearer ${JWT:KEYTMSBX01}",
        "apns-topic": "com.example.app", "apns-push-type": "alert"} | changes
    return [(name, filled(world, value, gateway)) for name, value in fields.items()]


def own_fields(gateway, device, token=None):
    """Returns the fields of the base request that differ for a gateway with its own device and key."""
    ready = gateway.ready
    tokens = ProviderTokens({"K": (ready["keyID"], ready["teamID"], load_key(ready["keyFile"]))})
    token = token or device.event("registered")["token"]
    return {":path": f"/3/device/{token}", "authorization": "bearer " + tokens.make("K")}


def steps(world, vector):
    """Sends requests one after another on one connection; only their tokens reflect the passage of time."""
    request, gateway = vector["request"], world.gateway
    connection = connect(world, gateway)
    delays = [int(step["after"].rstrip("s")) for step in request["one_connection"]]
    try:
        for index, step in enumerate(request["one_connection"]):
            # The gateway's clock doesn't advance; a token that is generated `later` differs by this much.
            answer = send(world, connection, step, gateway, shift=-sum(delays[index + 1:]))
            try:
                check(answer, vector["expect"]["per_step"][index])
            except Mismatch as mismatch:
                raise Mismatch(f"step {index + 1}: {mismatch}") from None
    finally:
        connection.close()


def wrong_environment(world, vector):
    """G06: GOAWAY with the reason, and a close."""
    wanted = vector["expect"]["goaway"]
    certificate = world.certificate(vector["request"]["client_cert"])
    connection = connect(world, world.gateway, certificate=certificate)
    try:
        stream, frames = connection.request_frames(headers(world, world.gateway), BODY)
        connection.send(*frames)
        connection.wait_closed()
        expect(connection.closed, "the connection was left open")
        expect(connection.goaways, "no GOAWAY was sent")
        goaway = connection.goaways[-1]
        got = f"last {goaway.last_stream_id} error {goaway.error_code} {goaway.additional_data}"
        expect(goaway.last_stream_id == wanted["last_stream_id"] and goaway.error_code == 0
               and goaway.additional_data == wanted["debug"].encode(), f"GOAWAY: {got}")
    finally:
        connection.close()


def refused_certificate(world, vector):
    """G08: refused by TLS, or closed with GOAWAY and the reason."""
    certificate = world.certificate(vector["request"]["client_cert"])
    context = tls_context(world.gateway.ca, certificate=certificate)
    try:
        connection = Connection(connect_tls(
            world.gateway.host, world.gateway.port("provider"), context))
        stream, frames = connection.request_frames(headers(world, world.gateway), BODY)
        connection.send(*frames)
        connection.wait_closed()
    except ConnectionRefusedError:
        raise  # No server is listening, so every client is refused.
    except (ssl.SSLError, ConnectionError, Closed):
        return
    if connection.goaways:
        expect(b"BadCertificate" in connection.goaways[-1].additional_data, "GOAWAY does not contain BadCertificate")
        return
    expect(connection.closed, "the connection was left open")
    expect(not connection.answers[stream].ended, "the request was answered")


def without_alpn(world, vector):
    """H01: the preface announces HTTP/2, even without ALPN."""
    context = tls_context(world.gateway.ca, alpn=(), maximum=ssl.TLSVersion.TLSv1_2)
    connection = Connection(connect_tls(
        world.gateway.host, world.gateway.port("provider"), context))
    try:
        answer = connection.request(headers(world, world.gateway), BODY)
        expect(connection.settings, "no SETTINGS was sent")
        check(answer, vector["expect"])
    finally:
        connection.close()


def alpn(world, vector):
    """H03: given h2 and http/1.1, the server selects h2."""
    offered = vector["request"]["tls"].split("offers ")[-1].split(",")
    context = tls_context(world.gateway.ca, alpn=offered)
    sock = connect_tls(world.gateway.host, world.gateway.port("provider"), context)
    chosen = sock.selected_alpn_protocol()
    sock.close()
    expect(chosen == vector["expect"]["alpn"], f"the server selected {chosen}")


def stream_limit(world, vector):
    """H05: 1 at first, many after the first valid request."""
    connection = connect(world, world.gateway)
    try:
        connection.wait(lambda: connection.settings, "SETTINGS")
        first = connection.settings[0].get(MAX_CONCURRENT_STREAMS)
        wanted = vector["expect"]["settings_initial"]["MAX_CONCURRENT_STREAMS"]
        expect(first == wanted, f"MAX_CONCURRENT_STREAMS is {first} at first")
        check(connection.request(headers(world, world.gateway), BODY), {"status": 200})
        connection.wait(lambda: len(connection.settings) > 1, "the second SETTINGS")
        then = connection.settings[-1].get(MAX_CONCURRENT_STREAMS, 0)
        expect(then >= 100, f"MAX_CONCURRENT_STREAMS is {then} afterwards")
    finally:
        connection.close()


def ping(world, vector):
    """H08: the server returns the same eight bytes."""
    opaque = bytes.fromhex(vector["request"]["send"].split()[-1])
    connection = connect(world, world.gateway)
    try:
        connection.send(PingFrame(0, opaque))
        connection.wait(lambda: opaque in connection.pings, "the PING's answer")
    finally:
        connection.close()


def priority(world, vector):
    """H09: PRIORITY of streams that are not open yet."""
    streams = map(int, re.findall(r"\d+", vector["request"]["send"].split(", then")[0]))
    connection = connect(world, world.gateway)
    try:
        connection.send(*[PriorityFrame(stream, stream_weight=15) for stream in streams])
        check(connection.request(headers(world, world.gateway), BODY), vector["expect"])
    finally:
        connection.close()


def draining(world, vector):
    """H11: a gateway that shuts down sends GOAWAY, answers open requests, and accepts no new ones."""
    gateway = Gateway(world.belfry, world.folder, "draining-h11")
    device = gateway.devices(world.folder, "draining-device", "com.example.app")
    changes = own_fields(gateway, device)
    connection = connect(world, gateway)
    try:
        check(connection.request(headers(world, gateway, **changes), BODY), {"status": 200})
        stream = connection.new_stream()
        connection.send(connection.headers_frame(headers(world, gateway, **changes), stream),
                        connection.data_frame(stream, BODY[:5]))
        # Once the answer to a PING arrives, the gateway has read all frames that were sent before the signal.
        connection.send(PingFrame(0, b"arrived!"))
        connection.wait(lambda: b"arrived!" in connection.pings, "the PING's answer")
        gateway.program.process.send_signal(signal.SIGTERM)
        connection.wait(lambda: connection.goaways, "GOAWAY")
        goaway = connection.goaways[0]
        expect(goaway.error_code == 0, f"GOAWAY's error is {goaway.error_code}")
        wanted = vector["expect"]["goaway"]["debug"].encode()
        expect(goaway.additional_data == wanted, f"GOAWAY contains {goaway.additional_data}")
        connection.send(connection.data_frame(stream, BODY[5:], end_stream=True))
        check(connection.answer(stream), {"status": 200})
        late, frames = connection.request_frames(headers(world, gateway, **changes), BODY)
        try:
            connection.send(*frames)
            connection.wait_closed()
        except Closed:
            return
        expect(not connection.answers[late].ended, "a new stream was answered")
    finally:
        connection.close()
        device.stop()
        gateway.program.stop()


def pipelined(world, vector):
    """H13: two hundred concurrent requests on a connection that has sent a valid token."""
    count = int(re.match(r"\d+", vector["request"]["send"]).group())
    connection = connect(world, world.gateway)
    try:
        check(connection.request(headers(world, world.gateway), BODY), {"status": 200})
        fields, streams, frames = headers(world, world.gateway), [], []
        for _ in range(count):
            stream, more = connection.request_frames(fields, BODY)
            streams.append(stream)
            frames += more
        connection.send(*frames)
        for stream in streams:
            check(connection.answer(stream), vector["expect"]["all"])
    finally:
        connection.close()


def first_flight(world, vector):
    """H25: the server handles requests that a client sent before it could know the limit."""
    context = tls_context(world.gateway.ca)
    connection = Connection(connect_tls(
        world.gateway.host, world.gateway.port("provider"), context))
    try:
        fields, streams, frames = headers(world, world.gateway), [], []
        for _ in range(5):
            stream, more = connection.request_frames(fields, BODY)
            streams.append(stream)
            frames += more
        connection.send(*frames)
        for stream in streams:
            check(connection.answer(stream), vector["expect"]["all"])
    finally:
        connection.close()


def base_request(world, vector):
    """H14: the provider port is one of Apple's or, here, a free port."""
    connection = connect(world, world.gateway)
    try:
        check(connection.request(headers(world, world.gateway), BODY), vector["expect"])
    finally:
        connection.close()


def cancelled(world, vector):
    """H17: a request that is cancelled halfway leaves the connection unchanged."""
    connection = connect(world, world.gateway)
    try:
        stream = connection.new_stream()
        connection.send(connection.headers_frame(headers(world, world.gateway), stream),
                        connection.data_frame(stream, BODY[:12]),
                        RstStreamFrame(stream, error_code=8))
        check(connection.request(headers(world, world.gateway), BODY), vector["expect"]["second"])
    finally:
        connection.close()


def burst(world, vector):
    """H21: more pushes to one token than a gateway with a limit accepts."""
    gateway = Gateway(world.belfry, world.folder, "limited-h21", "--device-rate", "2")
    device = gateway.devices(world.folder, "limited-device", "com.example.app")
    changes = own_fields(gateway, device)
    connection = connect(world, gateway)
    try:
        for _ in range(100):
            answer = connection.request(headers(world, gateway, **changes), BODY)
            if answer.status != 200:
                return check(answer, vector["expect"]["eventually"])
        raise Mismatch("all of a hundred concurrent pushes were accepted")
    finally:
        connection.close()
        device.stop()
        gateway.program.stop()


def fault(world, vector):
    """H23: a scripted internal error."""
    world.gateway.command(
        "fault", "add", "--token", world.values["TOK_A_WIDGETS"], "--reason", "InternalServerError")
    changes = {":path": "/3/device/${TOK_A_WIDGETS}", "apns-push-type": "widgets",
               "apns-topic": "com.example.app.push-type.widgets"}
    connection = connect(world, world.gateway)
    try:
        answer = connection.request(headers(world, world.gateway, **changes), BODY)
        check(answer, vector["expect"])
    finally:
        connection.close()
        world.gateway.command("fault", "clear")


CASES = {
    "G06": wrong_environment, "G08": refused_certificate, "H01": without_alpn, "H03": alpn,
    "H05": stream_limit, "H08": ping, "H09": priority, "H11": draining, "H13": pipelined,
    "H14": base_request, "H17": cancelled, "H21": burst, "H23": fault, "H25": first_flight}


def run_connection(world, vector):
    if "one_connection" in vector["request"]:
        return steps(world, vector)
    case = CASES.get(vector["id"])
    if not case:
        raise Failure("unknown case")
    return case(world, vector)


__all__ = ["run_connection", "headers", "BODY"]
