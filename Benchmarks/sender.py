"""A provider that sends at a fixed rate and puts its clock into each payload: sender.py GATEWAY.JSON JWT TOKENS-FILE
RATE SECONDS. Prints one JSON line with the answers and the number of pushes by which the sender fell behind.

It writes HTTP/2 frames itself, with header blocks that are built in advance, because a client library would cost more
than the gateway that is measured."""
import json
import pathlib
import socket
import ssl
import struct
import sys
import time

file, jwt, tokens_file, rate, seconds = sys.argv[1:]
gateway = json.loads(pathlib.Path(file).read_text())
tokens = pathlib.Path(tokens_file).read_text().split()
rate, seconds = float(rate), float(seconds)


def literal(name, value):
    """Returns a header field that doesn't use the dynamic table, so that its block is the same in every request."""
    def text(data):
        data = data.encode()
        size = len(data)
        if size < 127:
            return bytes([size]) + data
        rest, out = size - 127, bytearray([127])
        while rest >= 128:
            out.append(rest % 128 + 128)
            rest //= 128
        return bytes(out) + bytes([rest]) + data
    return b"\x00" + text(name) + text(value)


def frame(kind, flags, stream, body):
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


common = b"\x83\x87" + literal(":authority", "localhost") + literal(
    "authorization", f"bearer {jwt}") + literal("apns-topic", "com.example.bench") + literal(
    "apns-push-type", "alert") + literal("apns-expiration", "0")
blocks = [common[:2] + literal(":path", f"/3/device/{token}") + common[2:] for token in tokens]
context = ssl.create_default_context(cafile=gateway["caFile"])
context.check_hostname = False
context.set_alpn_protocols(["h2"])
plain = socket.create_connection((gateway["host"], gateway["ports"]["provider"]))
plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
sock = context.wrap_socket(plain, server_hostname="localhost")
sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
             + frame(8, 0, 0, struct.pack(">I", 0x3FFFFFFF)))
sock.setblocking(False)
buffer, answers, stream, window = b"", {}, 1, 65535


def receive():
    global buffer, window
    try:
        while True:
            data = sock.recv(65536)
            if not data:
                raise SystemExit("belfry: the gateway closed the connection")
            buffer += data
    except ssl.SSLWantReadError:
        pass
    offset = 0
    while len(buffer) - offset >= 9:
        length = int.from_bytes(buffer[offset:offset + 3], "big")
        if len(buffer) - offset < 9 + length:
            break
        kind, flags = buffer[offset + 3], buffer[offset + 4]
        body = buffer[offset + 9:offset + 9 + length]
        if kind == 1:
            # ":status 200" is entry 8 of the static table; other statuses are literals.
            answers["200" if body[:1] == b"\x88" else "other"] = answers.get(
                "200" if body[:1] == b"\x88" else "other", 0) + 1
        elif kind == 4 and not flags & 1:
            write(frame(4, 1, 0, b""))
        elif kind == 6 and not flags & 1:
            write(frame(6, 1, 0, body))
        elif kind == 8 and buffer[offset + 5:offset + 9] == b"\0\0\0\0":
            window += int.from_bytes(body, "big")
        offset += 9 + length
    buffer = buffer[offset:]


def write(data):
    while data:
        try:
            data = data[sock.send(data):]
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            time.sleep(0.0001)


def push(block):
    global stream, window
    payload = b'{"aps":{"alert":"x"},"belfry-sent-micros":%d}' % (time.time_ns() // 1000)
    while window < len(payload):
        receive()
    window -= len(payload)
    write(frame(1, 4, stream, block) + frame(0, 1, stream, payload))
    stream += 2


push(blocks[0])  # the first valid request, after which the gateway accepts many concurrent ones
while not answers:
    receive()
start, sent, behind = time.monotonic(), 0, 0
while (now := time.monotonic() - start) < seconds:
    due = int(now * rate)
    behind = max(behind, due - sent)
    while sent < due:
        push(blocks[sent % len(blocks)])
        sent += 1
    receive()
    time.sleep(0.0002)
end = time.monotonic() + 10
while sum(answers.values()) < sent + 1 and time.monotonic() < end:
    receive()
print(json.dumps({"event": "sent", "sent": sent + 1, "answers": answers, "behind": behind}))
