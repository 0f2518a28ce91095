"""Runs the vectors that are single requests: the device API, channels, and broadcasts."""
import gzip
import json
import re
import time

from http2 import Closed, Connection, Late, connect_tls, tls_context
from programs import Failure

PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")


class Mismatch(Exception):
    """The error for a gateway's answer that differs from the answer that the vector expects."""


def expect(condition, text):
    if not condition:
        raise Mismatch(text)


def filled(world, text, gateway, shift=0):
    """Returns `text` with its placeholders filled in."""
    def value(match):
        name = match.group(1)
        if name == "HOST":
            return "localhost"
        if name == "PORT":
            return str(gateway.port("provider"))
        if name.startswith("JWT:"):
            return world.tokens.make(name[4:], shift)
        if name.startswith("now"):
            return str(int(time.time()) + int(name[3:] or 0))
        name, _, form = name.partition(":")
        if form == "upper":
            return world.values[name].upper()
        if name not in world.values:
            raise Failure(f"{name} was not created: {world.missing.get(name, 'unknown fixture')}")
        return world.values[name]
    return PLACEHOLDER.sub(value, text)


def body_of(text):
    """Returns the body's bytes: JSON of an exact size, or the text."""
    match = re.fullmatch(r"\$\{(JSON_BYTES|JSON_EMOJI_BYTES|BYTES|GZIP_OF):(.*)\}", text, re.S)
    if not match:
        return text.encode()
    kind, argument = match.groups()
    if kind == "GZIP_OF":
        return gzip.compress(argument.encode())
    size = int(argument)
    if kind == "BYTES":
        return b"\xa5" * size
    start, end = b'{"aps":{"alert":"', b'"}}'
    room = size - len(start) - len(end)
    if kind == "JSON_BYTES":
        return start + b"x" * room + end
    return start + "\U0001f514".encode() * (room // 4) + b"x" * (room % 4) + end


def connect(world, gateway, port="provider", certificate=None, **options):
    context = tls_context(gateway.ca, certificate=certificate, **options)
    return Connection(connect_tls(gateway.host, gateway.port(port), context))


def send(world, connection, request, gateway, shift=0):
    """Sends one vector's request; returns the answer."""
    headers = [(name, filled(world, value, gateway, shift)) for name, value in request["headers"]]
    body = body_of(filled(world, request["body"], gateway) if "${now" in request["body"]
                   or "${TOK" in request["body"] else request["body"])
    wire = request.get("wire")
    if not wire or "HEADERS with END_STREAM" in wire:
        return connection.request(headers, body)
    stream = connection.new_stream()
    frames = [connection.headers_frame(headers, stream)]
    sizes = [int(size) for size in re.findall(r"\b\d+\b", wire.split(" bytes")[0])]
    padding = re.search(r"padded by (\d+)", wire)
    if "CONTINUATION" in wire:
        from hyperframe.frame import ContinuationFrame
        whole, frames = frames[0], []
        whole.flags.discard("END_HEADERS")
        half = len(whole.data) // 2
        rest = ContinuationFrame(stream, whole.data[half:], flags=["END_HEADERS"])
        whole.data = whole.data[:half]
        frames += [whole, rest, connection.data_frame(stream, body, end_stream=True)]
    elif "empty DATA" in wire:
        frames += [connection.data_frame(stream, body),
                   connection.data_frame(stream, b"", end_stream=True)]
    elif len(sizes) > 1:
        start = 0
        for index, size in enumerate(sizes):
            last = index == len(sizes) - 1
            frames.append(connection.data_frame(
                stream, body[start:] if last else body[start:start + size], end_stream=last,
                padding=int(padding.group(1)) if padding and last else None))
            start += size
    else:
        raise Failure(f"unknown form: {wire}")
    connection.send(*frames)
    return connection.answer(stream)


def check(answer, wanted):
    """Checks that an answer is the one that a vector expects."""
    status, reason = answer.status, None
    got = f"{status} {answer.body.decode(errors='replace')}"
    if "status" in wanted:
        expect(status == wanted["status"], f"got {got}")
    if status >= 400:
        try:
            document = json.loads(answer.body)
            reason = document["reason"]
        except (ValueError, KeyError, TypeError):
            raise Mismatch(f"the body contains no reason: {got}") from None
        kinds = [type(frame).__name__ for frame in answer.frames]
        expect(kinds == ["HeadersFrame", "DataFrame"], f"the error was sent as {kinds}")
        expect("END_STREAM" in answer.frames[-1].flags, "the DATA frame does not end the stream")
        expect(b" " not in answer.body, f"the body is not compact: {got}")
        if status == 410:
            expect(re.search(rb'"timestamp":\d+[,}]', answer.body), f"the timestamp is not an integer: {got}")
        else:
            expect("timestamp" not in document, f"a timestamp without 410: {got}")
    if "reason" in wanted:
        expect(reason == wanted["reason"], f"got {got}")
    if "reason_any_of" in wanted:
        expect(reason in wanted["reason_any_of"], f"got {got}")
    if "body" in wanted and "timestamp" not in wanted["body"]:
        expect(answer.body == wanted["body"].encode(), f"got {got}")
    if "json" in wanted:
        expect(json.loads(answer.body) == wanted["json"], f"got {got}")
    if "channels" in wanted.get("json_schema", {}):
        channels = json.loads(answer.body).get("channels")
        expect(isinstance(channels, list) and all(isinstance(channel, str) for channel in channels),
               f"got {got}")
    for name in wanted.get("headers_present", []):
        expect(name in answer.headers, f"missing field {name}: {answer.headers}")
    for name in wanted.get("headers_absent", []):
        expect(name not in answer.headers, f"unexpected field {name}: {answer.headers}")
    for name, value in wanted.get("headers", {}).items():
        expect(answer.headers.get(name) == value, f"{name} is {answer.headers.get(name)}")
    if "single HEADERS" in wanted.get("h2", ""):
        expect(len(answer.frames) == 1, "unexpected frame after HEADERS")


def run_request(world, vector):
    """Sends one request on a separate connection."""
    request, wanted = vector["request"], vector["expect"]
    gateway = world.gateways.get(request.get("env", "sandbox"))
    expect(gateway, f"no gateway: {world.missing}")
    certificate = request.get("client_cert")
    port = {2195: "binary", 2196: "feedback"}.get(request.get("port"), "provider")
    if vector["interface"] == "channel-management" and vector["id"] == "J12":
        # The vector deletes a channel that others read.
        world.make_channel("CHANNEL_P0", 0)
    environment = request.get("env", "sandbox")
    connection = connect(
        world, gateway, port,
        certificate=certificate and world.certificate(certificate, environment))
    try:
        answer = send(world, connection, request, gateway)
        check(answer, wanted)
        if vector["interface"] == "http2-device":
            expect("apns-id" in answer.headers, "missing field apns-id")
            if answer.status != 200:
                expect("apns-unique-id" not in answer.headers, "an apns-unique-id on an error")
        if "byte for byte" in wanted.get("delivery", ""):
            check_delivery(world, body_of(request["body"]))
        if vector["id"] == "J12":
            world.make_channel("CHANNEL_P0", 0)
    finally:
        connection.close()


def check_delivery(world, body):
    import base64
    world.device.event("received", lambda line: base64.b64decode(line["payload"]) == body)


__all__ = ["Closed", "Late", "Mismatch", "check", "connect", "expect", "filled", "run_request",
           "send", "body_of"]
