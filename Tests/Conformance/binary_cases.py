"""Runs the vectors of the legacy binary interface and the feedback service.

The literal tokens in the frames are replaced by issued ones of the same length."""
import signal
import ssl
import struct
import time

from http2 import connect_tls, tls_context
from programs import Failure, Gateway
from request_cases import expect

APP = "com.example.app"
LITERAL = bytes.fromhex("00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0")
PRODUCTION = b"\xcd" * 32
QUIET = 1.0  # seconds in which an open connection sends nothing


def open_connection(world, gateway, listener, certificate):
    context = tls_context(gateway.ca, alpn=(), certificate=certificate)
    return connect_tls(gateway.host, gateway.port(listener), context)


def receive(sock, wanted, seconds):
    """Returns the data that arrives before the end or the timeout, and whether the connection has ended."""
    data, end = b"", time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        if left <= 0:
            return data, False
        sock.settimeout(left)
        try:
            more = sock.recv(65536)
        except TimeoutError:
            return data, False
        except (ssl.SSLError, ConnectionError):
            return data, True
        if not more:
            return data, True
        data += more


def filled(world, frame, token):
    """Returns a vector's bytes, with tokens from this gateway in place of the literal ones."""
    data = bytes.fromhex(frame).replace(LITERAL, token)
    # A token that is one byte too short remains too short.
    data = data.replace(LITERAL[:31] + b"\x00\x19", token[:31] + b"\x00\x19")
    if PRODUCTION in data:
        if "TOK_PROD" not in world.values:
            raise Failure(f"TOK_PROD was not created: {world.missing}")
        data = data.replace(PRODUCTION, bytes.fromhex(world.values["TOK_PROD"]))
    return data


def run_binary(world, vector):
    request, wanted = vector["request"], vector["expect"]
    if request.get("client_cert") is None:
        return refused_without_certificate(world, vector)
    gateway, drained = world.gateway, "drains" in request.get("then", "")
    if drained:
        # This gateway belongs to the case and exits with it.
        gateway = Gateway(world.belfry, world.folder, f"gateway-{vector['id']}")
        certificate = world.folder / f"{vector['id']}.pem"
        team = gateway.ready["teamID"]
        gateway.command("topic", "add", APP, "--team", team)
        gateway.command("certificate", "add", "--team", team, "--topic", APP, "--form", "universal",
                        "--out", certificate)
    else:
        certificate = world.certificate(request["client_cert"])
    device = gateway.devices(world.folder, f"device-{vector['id']}", APP)
    sock = None
    try:
        token = bytes.fromhex(device.event("registered")["token"])
        sock = open_connection(world, gateway, "binary", certificate)
        for frame in request["send_hex"]:
            sock.sendall(filled(world, frame, token))
        delivered = wanted.get("delivered", [])
        if drained:
            for _ in delivered:
                device.event("received")
            gateway.program.process.send_signal(signal.SIGTERM)
        closes = wanted["then"].startswith("close")
        got, ended = receive(sock, len(wanted["recv_hex"]) // 2, 30 if closes else QUIET)
        expect(got.hex() == wanted["recv_hex"], f"got {got.hex() or 'nothing'}")
        expect(ended == closes, "the connection was closed" if ended else "the connection was left open")
        if not drained:
            received(device, len(delivered))
    finally:
        if sock:
            sock.close()
        device.stop()
        if drained:
            gateway.program.stop()


def received(device, count):
    for index in range(count):
        try:
            device.event("received", timeout=30)
        except Failure:
            expect(False, f"received {index} of {count} notifications")
    try:
        device.event("received", timeout=QUIET)
    except Failure:
        return
    expect(False, f"received more than {count} notifications")


def refused_without_certificate(world, vector):
    """L25: a client without a certificate gets no answer."""
    context = tls_context(world.gateway.ca, alpn=())
    try:
        sock = connect_tls(world.gateway.host, world.gateway.port("binary"), context)
    except ConnectionRefusedError:
        raise  # No server is listening, so every client is refused.
    except (ssl.SSLError, ConnectionError):
        return
    with sock:
        got, ended = receive(sock, 0, 30)
        expect(not got and ended, "the connection got an answer")


def run_feedback(world, vector):
    request, wanted = vector["request"], vector["expect"]
    environment = request.get("env", "sandbox")
    gateway = world.gateways.get(environment)
    expect(gateway, f"no gateway: {world.missing}")
    certificate = world.certificate(request["client_cert"], environment)
    # Reading empties the list, so this case reads only its own entries.
    with open_connection(world, gateway, "feedback", certificate) as sock:
        receive(sock, 0, 30)
    gone = "removed" in request["pre"]
    if gone:
        device = world.gateway.devices(world.folder, f"device-{vector['id']}", APP)
        token = bytes.fromhex(device.event("registered")["token"])
        device.tell(do="unregister", topic=APP)
        device.event("unregistered")
        device.stop()
    with open_connection(world, gateway, "feedback", certificate) as sock:
        got, ended = receive(sock, len(wanted["recv_hex"]) // 2, 30)
    expect(ended, "the connection was left open")
    if not wanted["recv_hex"]:
        return expect(not got, f"got {got.hex()}")
    expect(len(got) == 38, f"got {len(got)} bytes")
    moment, length = struct.unpack(">IH", got[:6])
    expect(abs(moment - time.time()) < 60, f"the timestamp is {moment}")
    expect(length == 32 and got[6:] == token, "the token differs")


__all__ = ["run_binary", "run_feedback"]
