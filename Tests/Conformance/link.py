"""A second implementation of the device link, written only from docs/device-link.md. The implementation shows whether
that page is complete, and it can send data that no real device would send."""
import socket
import ssl
import struct
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

TIMEOUT = 30
HELLO, WELCOME, ENROL, ENROLLED, ENROL_REFUSED = 0x01, 0x02, 0x03, 0x04, 0x05
CONNECT, CONNECTED, READY = 0x06, 0x07, 0x08
REGISTER, TOKEN, REFUSED, UNREGISTER = 0x10, 0x11, 0x12, 0x13
NOTIFICATION, ACK, PING, PONG, CLOSE = 0x20, 0x22, 0x31, 0x32, 0x3F


class Ended(Exception):
    """The error for a link that the gateway closed; `reason` is the reason in the CLOSE frame, if any."""

    def __init__(self, reason=None):
        super().__init__(f"closed with reason {reason}")
        self.reason = reason


class EnrollRefused(Exception):
    """The error for an enrollment that the gateway refused; `reason` is the reason in ENROL_REFUSED."""

    def __init__(self, reason):
        super().__init__(f"refused to enroll, reason {reason}")
        self.reason = reason


def frame(kind, body=b""):
    return struct.pack(">HB", len(body), kind) + body


def short(data):
    return bytes([len(data)]) + data


class Link:
    def __init__(self, host, port, ca, certificate=None, alpn=("belfry-link/1",)):
        context = ssl.create_default_context(cafile=ca)
        context.check_hostname = False
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if certificate:
            context.load_cert_chain(certificate)
        plain = socket.create_connection((host, port), timeout=TIMEOUT)
        self.sock = context.wrap_socket(plain, server_hostname=host)
        self.buffer = b""

    def send(self, kind, body=b""):
        self.write(frame(kind, body))

    def write(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            raise Ended() from None

    def receive(self, timeout=TIMEOUT):
        """Returns the next frame; raises an exception for a CLOSE frame or the end of the connection."""
        end = time.monotonic() + timeout
        while len(self.buffer) < 3 or len(self.buffer) < 3 + int.from_bytes(self.buffer[:2], "big"):
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError("received no frame")
            self.sock.settimeout(left)
            try:
                data = self.sock.recv(65536)
            except TimeoutError:
                raise
            except OSError as error:
                raise Ended(getattr(error, "reason", None) or str(error)) from None
            if not data:
                raise Ended()
            self.buffer += data
        length, kind = struct.unpack(">HB", self.buffer[:3])
        body, self.buffer = self.buffer[3:3 + length], self.buffer[3 + length:]
        if kind == CLOSE:
            raise Ended(body[0])
        return kind, body

    def expect(self, wanted):
        """Returns the body of the next frame of this type; answers any PINGs that precede it."""
        while True:
            kind, body = self.receive()
            if kind == PING:
                self.send(PONG, body + b"\0\0")
            elif kind == wanted:
                return body
            else:
                raise ValueError(f"received a frame of type {kind:#x}, not {wanted:#x}")

    def hello(self, window=64):
        self.send(HELLO, struct.pack(">BBBHHH", 1, 1, 0, window, 0, 0))
        return self.expect(WELCOME)

    def enroll(self, code, name="python", key=None):
        """Enrolls with `key` or, if it is None, with a new key; returns the device's number, and its key and
        certificate chain as PEM text."""
        nonce = self.hello()[5:21]
        key = key or ec.generate_private_key(ec.SECP256R1())
        public = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        signed = b"belfry-link/1 enrol\0" + nonce
        for part in (public, code.encode(), name.encode()):
            signed += struct.pack(">H", len(part)) + part
        r, s = decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))
        self.send(ENROL, struct.pack(">H", len(public)) + public + r.to_bytes(32, "big")
                  + s.to_bytes(32, "big") + short(code.encode()) + short(name.encode()))
        kind, enrolled = self.receive()
        if kind == ENROL_REFUSED:
            raise EnrollRefused(enrolled[0])
        assert kind == ENROLLED, f"a frame of type {kind:#x} was received"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption())
        return struct.unpack(">Q", enrolled[:8])[0], private + enrolled[8:]

    def connect(self):
        self.hello()
        self.send(CONNECT)
        return struct.unpack(">Q", self.expect(CONNECTED)[:8])[0]

    def register(self, bundle_id, kind=1, request=1):
        """Registers an app; returns its handle and token."""
        self.send(REGISTER, struct.pack(">HB", request, kind) + short(bundle_id.encode()))
        body = self.expect(TOKEN)
        return struct.unpack(">I", body[2:6])[0], body[7:7 + body[6]]

    def ask(self, verb, bundle_id, kind=1, request=1):
        """Sends a request for an app; returns the type and the body of the answer."""
        self.send(verb, struct.pack(">HB", request, kind) + short(bundle_id.encode()))
        while True:
            answer, body = self.receive()
            if answer == PING:
                self.send(PONG, body + b"\0\0")
            elif answer == NOTIFICATION:
                self.send(ACK, body[:4])
            else:
                return answer, body

    def notification(self):
        """Acknowledges the next notification and returns its payload."""
        body = self.expect(NOTIFICATION)
        self.send(ACK, body[:4])
        return body[60 + body[59]:]

    def close(self):
        self.sock.close()
