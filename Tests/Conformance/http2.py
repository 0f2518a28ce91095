"""An HTTP/2 client that sends exactly the given frames and records exactly the received ones.

A real client library makes too many decisions itself to show how a server handles unusual frames."""
import socket
import ssl
import time

import hpack
from hyperframe.exceptions import HyperframeError
from hyperframe.frame import (
    DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame, PriorityFrame, RstStreamFrame,
    SettingsFrame, WindowUpdateFrame)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
TIMEOUT = 30  # seconds for one answer
MAX_CONCURRENT_STREAMS = SettingsFrame.MAX_CONCURRENT_STREAMS


class Closed(Exception):
    """The error for a server that closed the connection during a wait."""


class Late(Exception):
    """The error for data that didn't arrive in time."""


def tls_context(ca, alpn=("h2",), certificate=None, maximum=None):
    context = ssl.create_default_context(cafile=ca)
    context.check_hostname = False
    if alpn:
        context.set_alpn_protocols(list(alpn))
    if certificate:
        context.load_cert_chain(certificate)
    if maximum:
        context.maximum_version = maximum
    return context


def connect_tls(host, port, context):
    plain = socket.create_connection((host, port), timeout=TIMEOUT)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return context.wrap_socket(plain, server_hostname=host)


class Answer:
    """The answer on one stream."""

    def __init__(self):
        self.headers, self.body, self.frames = {}, b"", []
        self.ended, self.reset = False, None

    @property
    def status(self):
        return int(self.headers.get(":status", 0))


class Connection:
    """One connection. `settings` contains each SETTINGS frame from the server, and `frames` contains every frame in
    order."""

    def __init__(self, sock, greet=True, settings=None):
        self.sock = sock
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.answers, self.frames, self.settings, self.goaways = {}, [], [], []
        self.pings, self.buffer, self.closed, self.next_stream = [], b"", None, 1
        if greet:
            self.write(PREFACE + SettingsFrame(0, settings=settings or {}).serialize())

    # sending

    def write(self, data):
        try:
            self.sock.sendall(data)
        except OSError as error:
            raise Closed(str(error)) from None

    def send(self, *frames):
        self.write(b"".join(frame.serialize() for frame in frames))

    def headers_frame(self, headers, stream, end_stream=False):
        frame = HeadersFrame(stream, self.encoder.encode(headers), flags=["END_HEADERS"])
        if end_stream:
            frame.flags.add("END_STREAM")
        return frame

    def data_frame(self, stream, data, end_stream=False, padding=None):
        frame = DataFrame(stream, data)
        if end_stream:
            frame.flags.add("END_STREAM")
        if padding is not None:
            frame.flags.add("PADDED")
            frame.pad_length = padding
        return frame

    def new_stream(self):
        stream = self.next_stream
        self.next_stream += 2
        self.answers[stream] = Answer()
        return stream

    def request_frames(self, headers, body=b""):
        """Returns a new stream and the frames of a complete request in the usual form."""
        stream = self.new_stream()
        if not body:
            return stream, [self.headers_frame(headers, stream, end_stream=True)]
        return stream, [self.headers_frame(headers, stream),
                        self.data_frame(stream, body, end_stream=True)]

    def request(self, headers, body=b""):
        """Sends a request and waits for its complete answer."""
        stream, frames = self.request_frames(headers, body)
        self.send(*frames)
        return self.answer(stream)

    # receiving

    def answer(self, stream, timeout=TIMEOUT):
        answer = self.answers[stream]
        self.wait(lambda: answer.ended or answer.reset is not None, f"stream {stream}", timeout)
        if answer.reset is not None:
            raise Closed(f"stream {stream} was reset with {answer.reset}")
        return answer

    def wait(self, met, what, timeout=TIMEOUT):
        end = time.monotonic() + timeout
        while not met():
            if self.closed:
                raise Closed(f"{what}: {self.closed}")
            left = end - time.monotonic()
            if left <= 0:
                raise Late(what)
            self.read(left)

    def wait_closed(self, timeout=TIMEOUT):
        try:
            self.wait(lambda: False, "the end", timeout)
        except Closed:
            return

    def read(self, timeout):
        self.sock.settimeout(max(timeout, 0.001))
        try:
            data = self.sock.recv(65536)
        except (TimeoutError, ssl.SSLWantReadError):
            return
        except OSError as error:
            self.closed = str(error) or "closed"
            return
        if not data:
            self.closed = "closed"
        self.buffer += data
        while len(self.buffer) >= 9:
            try:
                frame, length = Frame.parse_frame_header(memoryview(self.buffer[:9]))
            except HyperframeError as error:
                self.closed = f"the server sent an invalid frame: {error}"
                return
            if len(self.buffer) < 9 + length:
                return
            frame.parse_body(memoryview(self.buffer[9:9 + length]))
            self.buffer = self.buffer[9 + length:]
            self.frames.append(frame)
            self.receive(frame)

    def receive(self, frame):
        answer = self.answers.get(frame.stream_id)
        if isinstance(frame, SettingsFrame):
            if "ACK" not in frame.flags:
                self.settings.append(dict(frame.settings))
                self.send(SettingsFrame(0, flags=["ACK"]))
        elif isinstance(frame, PingFrame):
            if "ACK" in frame.flags:
                self.pings.append(bytes(frame.opaque_data))
            else:
                self.send(PingFrame(0, frame.opaque_data, flags=["ACK"]))
        elif isinstance(frame, GoAwayFrame):
            self.goaways.append(frame)
        elif isinstance(frame, RstStreamFrame) and answer:
            answer.reset = frame.error_code
        elif isinstance(frame, (HeadersFrame, DataFrame)) and answer:
            answer.frames.append(frame)
            if isinstance(frame, HeadersFrame):
                answer.headers.update(self.decoder.decode(frame.data))
            else:
                answer.body += frame.data
                if frame.data:
                    self.send(WindowUpdateFrame(0, window_increment=len(frame.data)))
            if "END_STREAM" in frame.flags:
                answer.ended = True

    def close(self):
        try:
            self.sock.close()
        except OSError:
            return


__all__ = [
    "Answer", "Closed", "Connection", "Late", "MAX_CONCURRENT_STREAMS", "PriorityFrame",
    "PingFrame", "RstStreamFrame", "connect_tls", "tls_context"]
