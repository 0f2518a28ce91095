"""A provider on one connection. It has several pushes in progress, each with its own identifier, and records the
answers. It reconnects when the connection is closed, and never resends a push whose answer was lost.

It writes HTTP/2 frames itself, because a client library would cost more than the gateway that is measured."""
import json
import socket
import ssl
import struct
import threading
import time
import uuid

JWT_SECONDS = 2_400  # of the hour for which a provider token is valid
WINDOW_MAX = 0x3FFFFFFF
POLL_SECONDS = 0.005  # to wait for an answer before the next push may be due
ALERT = {"aps": {"alert": "Hello"}}


def literal(name, value):
    """Returns a header field that uses neither the dynamic table nor Huffman coding."""
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


class Ended(Exception):
    """The error for a closed connection."""


class Answers:
    """The answers to all providers of a run, by the push's identifier."""

    def __init__(self):
        self.lock = threading.Lock()
        self.accepted, self.refused, self.unanswered = {}, {}, 0
        self.milliseconds, self.last_accepted = [], 0.0

    def accept(self, identifier, device, started):
        now = time.monotonic()
        with self.lock:
            self.accepted[identifier] = device
            self.milliseconds.append((now - started) * 1_000)
            self.last_accepted = now

    def refuse(self, reason):
        with self.lock:
            self.refused[reason] = self.refused.get(reason, 0) + 1

    def lose(self, count):
        with self.lock:
            self.unanswered += count


class Provider(threading.Thread):
    """Sends pushes to the devices of `tokens` in turn: `rate` per second, with at most `under_way` in progress."""

    def __init__(self, gateway, jwt, topic, tokens, answers, rate, under_way=32, padding=0, headers=()):
        super().__init__(daemon=True)
        self.gateway, self.tokens = gateway, list(tokens.items())
        self.answers, self.rate, self.under_way, self.padding = answers, rate, under_way, padding
        self.fields = [("apns-topic", topic), ("apns-push-type", "alert"), *headers]
        self.present(jwt)
        self.context = ssl.create_default_context(cafile=gateway.ready["caFile"])
        self.context.check_hostname = False
        self.context.set_alpn_protocols(["h2"])
        self.going, self.sent, self.sock = True, 0, None

    def present(self, jwt):
        fields = [("authorization", f"bearer {jwt}"), *self.fields]
        self.common = literal(":authority", "localhost") + b"".join(literal(*one) for one in fields)
        self.renewal = time.monotonic() + JWT_SECONDS

    def run(self):
        while self.going:
            try:
                self.connect()
                self.serve()
            except (OSError, Ended):
                self.answers.lose(len(self.waiting) if self.sock else 0)
            if self.sock:
                self.sock.close()
                self.sock = None
            time.sleep(0.01)

    def connect(self):
        self.sock, self.waiting = None, {}
        address = (self.gateway.ready["host"], self.gateway.ports["provider"])
        plain = socket.create_connection(address, timeout=10)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self.context.wrap_socket(plain, server_hostname="localhost")
        self.buffer, self.stream, self.window, self.is_proven = b"", 1, 65_535, False
        self.sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
                          + frame(8, 0, 0, struct.pack(">I", WINDOW_MAX)))
        self.sock.settimeout(POLL_SECONDS)

    def serve(self):
        """Sends and receives until the end, and then waits briefly for pushes in progress."""
        start, first = time.monotonic(), self.sent
        end = None
        while self.going or self.waiting:
            now = time.monotonic()
            if not self.going:
                end = end or now + 10
                if now > end:
                    return self.answers.lose(len(self.waiting))
            bound = self.under_way if self.is_proven else 1
            due = first + int((now - start) * self.rate) + 1
            while self.going and self.sent < due and len(self.waiting) < bound and self.window > 4_096:
                self.push()
            self.receive()

    def push(self):
        if time.monotonic() > self.renewal:
            self.present(self.gateway.jwt())
        device, token = self.tokens[self.sent % len(self.tokens)]
        identifier = str(uuid.uuid4())
        body = dict(ALERT, **{"belfry-sent-micros": time.time_ns() // 1_000})
        if self.padding:
            body["padding"] = "x" * self.padding
        payload = json.dumps(body, separators=(",", ":")).encode()
        block = b"\x83\x87" + literal(
            ":path", f"/3/device/{token}") + self.common + literal("apns-id", identifier)
        self.waiting[self.stream] = (identifier, device, time.monotonic())
        self.sent += 1
        self.window -= len(payload)
        self.write(frame(1, 4, self.stream, block) + frame(0, 1, self.stream, payload))
        self.stream += 2

    def write(self, data):
        self.sock.settimeout(10)
        self.sock.sendall(data)
        self.sock.settimeout(POLL_SECONDS)

    def receive(self):
        try:
            data = self.sock.recv(65_536)
        except (TimeoutError, ssl.SSLWantReadError):
            return
        if not data:
            raise Ended
        self.buffer += data
        offset = 0
        while len(self.buffer) - offset >= 9:
            length = int.from_bytes(self.buffer[offset:offset + 3], "big")
            if len(self.buffer) - offset < 9 + length:
                break
            stream = int.from_bytes(self.buffer[offset + 5:offset + 9], "big")
            self.handle(self.buffer[offset + 3], self.buffer[offset + 4], stream,
                        self.buffer[offset + 9:offset + 9 + length])
            offset += 9 + length
        self.buffer = self.buffer[offset:]

    def handle(self, kind, flags, stream, body):
        if kind == 1:
            # ":status 200" is entry 8 of the static table.
            identifier, device, started = self.waiting.get(stream, (None, None, 0))
            if identifier and body[:1] == b"\x88":
                del self.waiting[stream]
                self.is_proven = True
                self.answers.accept(identifier, device, started)
            elif identifier and flags & 1:
                del self.waiting[stream]
                self.answers.refuse("no reason")
        elif kind == 0 and stream in self.waiting:
            del self.waiting[stream]
            self.answers.refuse(body.decode(errors="replace"))
            self.write(frame(8, 0, 0, struct.pack(">I", max(1, len(body)))))
        elif kind == 3 and stream in self.waiting:
            del self.waiting[stream]
            self.answers.lose(1)
        elif kind == 4 and not flags & 1:
            self.write(frame(4, 1, 0, b""))
        elif kind == 6 and not flags & 1:
            self.write(frame(6, 1, 0, body))
        elif kind == 7:
            raise Ended
        elif kind == 8 and stream == 0:
            self.window += int.from_bytes(body, "big")

    def stop(self):
        self.going = False


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
