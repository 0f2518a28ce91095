"""HTTP/2 as RFC 9113 and RFC 7541 define it: each case of h2spec's list, rewritten.

A case consists of the section, a description, the data to send, the outcome that the RFC requires, and our outcome with
the reason if it differs. Sections of HPACK begin with "H". Requests are GETs without a credential: "answered" means any
answer to a request of this kind."""
import struct
import time

from http2 import PREFACE, connect_tls, tls_context
from request_cases import Mismatch

DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, UPDATE, CONTINUATION = range(10)
END, ACK, END_HEADERS, PADDED, WITH_PRIORITY = 1, 1, 4, 8, 32
CODES = ["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
         "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
         "CONNECT_ERROR", "ENHANCE_YOUR_CALM"]
MARK = b"the mark"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def text(value, huffman=False):
    return bytes([len(value) | (128 if huffman else 0)]) + value


def field(name, value, first=0):
    """Returns a literal field with a new name; `first` determines whether it is indexed."""
    return bytes([first]) + text(name) + text(value)


AUTHORITY = b"\x01" + text(b"localhost")
GET, POST, HEAD = b"\x82", b"\x83", b"\x02" + text(b"HEAD")
HTTPS, ROOT = b"\x87", b"\x84"
BLOCK = GET + HTTPS + ROOT + AUTHORITY
POSTED = POST + HTTPS + ROOT + AUTHORITY


def head(stream=1, block=BLOCK, flags=END | END_HEADERS):
    return frame(HEADERS, flags, stream, block)


def setting(number, value):
    return frame(SETTINGS, 0, 0, struct.pack(">HI", number, value))


def update(stream, increment):
    return frame(UPDATE, 0, stream, struct.pack(">I", increment))


def priority(stream, on=0, weight=15, exclusive=False):
    return frame(PRIORITY, 0, stream, struct.pack(">IB", on | (1 << 31 if exclusive else 0), weight))


def reset(stream, code=8):
    return frame(RST, 0, stream, struct.pack(">I", code))


def answered(stream=1):
    """Returns a step that waits for the answer."""
    return ("answered", stream)


OPEN = head(flags=END_HEADERS)
POST_OPEN = head(block=POSTED, flags=END_HEADERS)
CLOSED = [head(), answered()]
# Outcomes.
OK, NOTHING, CUT = "answered", "nothing", "closed"


def goaway(*codes):
    return {f"GOAWAY {code}" for code in codes}


def rst(*codes):
    return {f"RST_STREAM {code}" for code in codes}


PROTOCOL, SIZE, FLOW = goaway("PROTOCOL_ERROR"), goaway("FRAME_SIZE_ERROR"), goaway("FLOW_CONTROL_ERROR")
COMPRESSION = goaway("COMPRESSION_ERROR")
MALFORMED = rst("PROTOCOL_ERROR") | PROTOCOL
STREAM_CLOSED = rst("STREAM_CLOSED") | goaway("STREAM_CLOSED")
ANSWER, QUIET = {OK}, {NOTHING}


def fields(*more, block=BLOCK):
    return [head(block=block + b"".join(more))]


def block(data):
    return [head(block=data)]


HUFFMAN_GET_ROOT = GET + HTTPS + b"\x04\x81" + bytes([0x63]) + AUTHORITY
IGNORED = (
    "the frame is decoded and not acted upon; the stream was answered, so an error would tell its client nothing, and "
    "HEADERS and small DATA frames are paid for from the connection's flood budget")
LOWER = (
    "such a stream was closed by the later one (5.1.1), and libnghttp2 ignores frames on it as on any closed stream; an "
    "error would end the connection, and cost its client the answers to its other requests")

# (section, description, steps, the outcome that the RFC requires, our outcome if it differs, the reason)
CASES = [
    # The connection and its preface.
    ("3.4", "a preface and SETTINGS", [head()], ANSWER),
    ("3.4", "a preface that is none", "bad preface", {CUT} | PROTOCOL),
    ("3.4", "the server's first frame is SETTINGS", "first frame", {"SETTINGS"}),
    # Frames.
    ("4.1", "a frame of an unknown type", [frame(0x16, 0, 0, b"x" * 8), head()], ANSWER),
    ("4.1", "undefined flags", [frame(PING, 0x16, 0, MARK[::-1]), head()], ANSWER),
    ("4.1", "the reserved bit of a stream identifier", [frame(PING, 0, 1 << 31, MARK[::-1]), head()], ANSWER),
    ("4.2", "DATA of 2^14 bytes", [POST_OPEN, frame(DATA, END, 1, bytes(2**14))], ANSWER),
    ("4.2", "DATA of 2^14 + 1 bytes", [POST_OPEN, frame(DATA, END, 1, bytes(2**14 + 1))], SIZE | rst("FRAME_SIZE_ERROR")),
    ("4.2", "HEADERS of 2^14 + 1 bytes", [head(block=bytes(2**14 + 1))], SIZE),
    ("4.3", "a header block that cannot be decoded", block(b"\x82\x87\x84\xff\xff\xff\xff\xff\xff"), COMPRESSION),
    ("4.3", "PRIORITY within a header block", [head(flags=END), priority(1)], PROTOCOL),
    ("4.3", "HEADERS of another stream within a header block", [head(flags=END), head(3)], PROTOCOL),
    # Streams.
    ("5.1", "idle: DATA", [frame(DATA, END, 1, b"x")], PROTOCOL),
    ("5.1", "idle: RST_STREAM", [reset(1)], PROTOCOL),
    ("5.1", "idle: WINDOW_UPDATE", [update(1, 100)], PROTOCOL),
    ("5.1", "idle: CONTINUATION", [frame(CONTINUATION, END_HEADERS, 1, BLOCK)], PROTOCOL),
    ("5.1", "idle: PRIORITY", [priority(1), head()], ANSWER),
    ("5.1", "half-closed (remote): DATA", [head() + frame(DATA, END, 1, b"x")], STREAM_CLOSED),
    ("5.1", "half-closed (remote): HEADERS", [head() + head()], STREAM_CLOSED),
    ("5.1", "half-closed (remote): CONTINUATION", [head() + frame(CONTINUATION, END_HEADERS, 1, BLOCK)], STREAM_CLOSED | PROTOCOL),
    ("5.1", "half-closed (remote): WINDOW_UPDATE", [head() + update(1, 100)], ANSWER),
    ("5.1", "half-closed (remote): PRIORITY", [head() + priority(1)], ANSWER),
    ("5.1", "half-closed (remote): RST_STREAM", [head() + reset(1)], ANSWER | QUIET),
    ("5.1", "closed by RST_STREAM: DATA", [POST_OPEN, reset(1), frame(DATA, END, 1, b"x")], STREAM_CLOSED | QUIET),
    ("5.1", "closed by RST_STREAM: HEADERS", [POST_OPEN, reset(1), head()], STREAM_CLOSED | QUIET),
    ("5.1", "closed by RST_STREAM: CONTINUATION", [POST_OPEN, reset(1), frame(CONTINUATION, END_HEADERS, 1, BLOCK)], STREAM_CLOSED | PROTOCOL),
    ("5.1", "closed: DATA", CLOSED + [frame(DATA, END, 1, b"x")], STREAM_CLOSED, NOTHING, IGNORED),
    ("5.1", "closed: HEADERS", CLOSED + [head()], STREAM_CLOSED, NOTHING, IGNORED),
    ("5.1", "closed: CONTINUATION", CLOSED + [frame(CONTINUATION, END_HEADERS, 1, BLOCK)], STREAM_CLOSED | PROTOCOL),
    ("5.1", "closed: PRIORITY", CLOSED + [priority(1), head(3), answered(3)], QUIET),
    ("5.1", "closed: WINDOW_UPDATE", CLOSED + [update(1, 100)], QUIET),
    ("5.1.1", "an even stream identifier", [head(2)], PROTOCOL),
    ("5.1.1", "a stream identifier below an earlier one", [head(5), answered(5), head(3)], PROTOCOL, NOTHING, LOWER),
    ("5.1.1", "a stream identifier below one that is open", [head(5, POSTED, END_HEADERS), head(3)], PROTOCOL, NOTHING, LOWER),
    ("5.1.2", "more streams than are allowed", "too many streams", rst("REFUSED_STREAM", "PROTOCOL_ERROR")),
    ("5.3", "PRIORITY with weight 1", [priority(1, weight=0), head()], ANSWER),
    ("5.3", "PRIORITY with weight 256", [priority(1, weight=255), head()], ANSWER),
    ("5.3", "PRIORITY with a dependency", [priority(1), priority(3, on=1), head()], ANSWER),
    ("5.3", "PRIORITY with an exclusive dependency", [priority(1), priority(3, on=1, exclusive=True), head()], ANSWER),
    ("5.3", "PRIORITY of an idle stream, then HEADERS of a lower one", [priority(5), head(3)], ANSWER),
    ("5.3", "HEADERS that depend on themselves", [head(block=struct.pack(">IB", 1, 15) + BLOCK, flags=END | END_HEADERS | WITH_PRIORITY)], MALFORMED | ANSWER),
    ("5.3", "PRIORITY that depends on itself", [priority(1, on=1), head()], MALFORMED | ANSWER),
    ("5.4.1", "a PING of 6 bytes ends the connection", [frame(PING, 0, 0, b"x" * 6)], SIZE),
    ("5.4.1", "GOAWAY is sent before the close", "goaway first", SIZE),
    ("5.5", "an unknown frame", [frame(0xFF, 0xFF, 1, b"x" * 8), head()], ANSWER),
    ("5.5", "an unknown frame within a header block", [head(flags=END), frame(0xFF, 0, 1, b"x")], PROTOCOL),
    # DATA.
    ("6.1", "DATA", [POST_OPEN, frame(DATA, END, 1, b"x")], ANSWER),
    ("6.1", "several DATA frames", [POST_OPEN, frame(DATA, 0, 1, b"x"), frame(DATA, END, 1, b"y")], ANSWER),
    ("6.1", "DATA with padding", [POST_OPEN, frame(DATA, END | PADDED, 1, b"\x06x" + bytes(6))], ANSWER),
    ("6.1", "DATA of stream 0", [frame(DATA, END, 0, b"x")], PROTOCOL),
    ("6.1", "DATA of a stream that was answered", CLOSED + [frame(DATA, 0, 1, b"x")], STREAM_CLOSED, NOTHING, IGNORED),
    ("6.1", "DATA with more padding than content", [POST_OPEN, frame(DATA, END | PADDED, 1, b"\x09x" + bytes(3))], PROTOCOL),
    # HEADERS.
    ("6.2", "HEADERS", [head()], ANSWER),
    ("6.2", "HEADERS with padding", [head(block=b"\x06" + BLOCK + bytes(6), flags=END | END_HEADERS | PADDED)], ANSWER),
    ("6.2", "HEADERS with priority", [head(block=struct.pack(">IB", 0, 15) + BLOCK, flags=END | END_HEADERS | WITH_PRIORITY)], ANSWER),
    ("6.2", "HEADERS that are not ended, then PRIORITY", [head(flags=0), priority(1)], PROTOCOL),
    ("6.2", "HEADERS that are not ended, then another stream's", [head(flags=0), head(3)], PROTOCOL),
    ("6.2", "HEADERS of stream 0", [head(0)], PROTOCOL),
    ("6.2", "HEADERS with more padding than content", [head(block=b"\xff" + BLOCK, flags=END | END_HEADERS | PADDED)], PROTOCOL),
    # PRIORITY and RST_STREAM.
    ("6.3", "PRIORITY of stream 0", [priority(0)], PROTOCOL),
    ("6.3", "PRIORITY of 4 bytes", [frame(PRIORITY, 0, 1, bytes(4)), head()], rst("FRAME_SIZE_ERROR") | SIZE),
    ("6.4", "RST_STREAM", [POST_OPEN, reset(1), head(3)], ANSWER),
    ("6.4", "RST_STREAM of stream 0", [reset(0)], PROTOCOL),
    ("6.4", "RST_STREAM of an idle stream", [reset(7)], PROTOCOL),
    ("6.4", "RST_STREAM of 3 bytes", [POST_OPEN, frame(RST, 0, 1, bytes(3))], SIZE),
    # SETTINGS.
    ("6.5", "SETTINGS", [setting(3, 100), head()], ANSWER),
    ("6.5", "an acknowledgement with a payload", [frame(SETTINGS, ACK, 0, b"x")], SIZE),
    ("6.5", "SETTINGS of stream 1", [frame(SETTINGS, 0, 1, bytes(6))], PROTOCOL),
    ("6.5", "SETTINGS of 3 bytes", [frame(SETTINGS, 0, 0, bytes(3))], SIZE),
    ("6.5.2", "ENABLE_PUSH of 2", [setting(2, 2)], PROTOCOL),
    ("6.5.2", "an initial window of 2^31", [setting(4, 1 << 31)], FLOW),
    ("6.5.2", "a frame size below 2^14", [setting(5, 2**14 - 1)], PROTOCOL),
    ("6.5.2", "a frame size of 2^24", [setting(5, 2**24)], PROTOCOL),
    ("6.5.2", "an unknown setting", [setting(0xFF, 1), head()], ANSWER),
    ("6.5.3", "several initial windows: the last counts", "last window", {"3"}),
    ("6.5.3", "SETTINGS are acknowledged", "acknowledged", {"acknowledged"}),
    # PUSH_PROMISE, PING, GOAWAY.
    ("6.6", "a PUSH_PROMISE from a client", [frame(PUSH, END_HEADERS, 1, struct.pack(">I", 2) + BLOCK)], PROTOCOL),
    ("6.7", "a PING", "ping", {"the same bytes"}),
    ("6.7", "an unexpected acknowledgment", "stray ping", {"no answer"}),
    ("6.7", "a PING of stream 1", [frame(PING, 0, 1, bytes(8))], PROTOCOL),
    ("6.7", "a PING of 6 bytes", [frame(PING, 0, 0, bytes(6))], SIZE),
    ("6.8", "a GOAWAY", [frame(GOAWAY, 0, 0, bytes(8)), head()], ANSWER | QUIET | {CUT}),
    ("6.8", "a GOAWAY of stream 1", [frame(GOAWAY, 0, 1, bytes(8))], PROTOCOL),
    # WINDOW_UPDATE and flow control.
    ("6.9", "a WINDOW_UPDATE of stream 0", [update(0, 1), head()], ANSWER),
    ("6.9", "a WINDOW_UPDATE of a stream", [POST_OPEN, update(1, 1), frame(DATA, END, 1, b"x")], ANSWER),
    ("6.9", "an increment of 0", [update(0, 0)], PROTOCOL),
    ("6.9", "an increment of 0 of a stream", [POST_OPEN, update(1, 0)], MALFORMED),
    ("6.9", "a WINDOW_UPDATE of 3 bytes", [frame(UPDATE, 0, 0, bytes(3))], SIZE),
    ("6.9.1", "a window of 1 byte", "window of 1", {"1"}),
    ("6.9.1", "a connection's window above 2^31 - 1", [update(0, 2**31 - 1), update(0, 2**31 - 1)], FLOW),
    ("6.9.1", "a stream's window above 2^31 - 1", [POST_OPEN, update(1, 2**31 - 1), update(1, 2**31 - 1)], rst("FLOW_CONTROL_ERROR") | FLOW),
    ("6.9.2", "a window that changes after HEADERS", "window changes", {"1"}),
    ("6.9.2", "a window that becomes negative", "negative window", {"1"}),
    ("6.9.2", "an initial window above the most", [setting(4, 2**32 - 1)], FLOW),
    # CONTINUATION.
    ("6.10", "a CONTINUATION", [head(block=BLOCK[:3], flags=END), frame(CONTINUATION, END_HEADERS, 1, BLOCK[3:])], ANSWER),
    ("6.10", "several CONTINUATIONs", [head(block=BLOCK[:1], flags=END), frame(CONTINUATION, 0, 1, BLOCK[1:3]), frame(CONTINUATION, END_HEADERS, 1, BLOCK[3:])], ANSWER),
    ("6.10", "a CONTINUATION, then another frame", [head(block=BLOCK[:3], flags=END), frame(CONTINUATION, 0, 1, BLOCK[3:]), frame(DATA, END, 1, b"x")], PROTOCOL),
    ("6.10", "a CONTINUATION of stream 0", [head(block=BLOCK[:3], flags=END), frame(CONTINUATION, END_HEADERS, 0, BLOCK[3:])], PROTOCOL),
    ("6.10", "a CONTINUATION after END_HEADERS", [OPEN, frame(CONTINUATION, END_HEADERS, 1, BLOCK)], PROTOCOL),
    ("6.10", "a CONTINUATION after the last CONTINUATION", [head(block=BLOCK[:3], flags=0), frame(CONTINUATION, END_HEADERS, 1, BLOCK[3:]), frame(CONTINUATION, END_HEADERS, 1, BLOCK)], PROTOCOL),
    ("6.10", "a CONTINUATION after DATA", [POST_OPEN, frame(DATA, 0, 1, b"x"), frame(CONTINUATION, END_HEADERS, 1, BLOCK)], PROTOCOL),
    # Error codes.
    ("7", "a GOAWAY with an unknown code", [frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0xFF)), frame(PING, 0, 0, MARK[::-1])], QUIET | {CUT}),
    ("7", "a RST_STREAM with an unknown code", [POST_OPEN, reset(1, 0xFF), head(3)], ANSWER),
    # Messages.
    ("8.1", "a GET", [head()], ANSWER),
    ("8.1", "a HEAD", [head(block=HEAD + HTTPS + ROOT + AUTHORITY)], ANSWER),
    ("8.1", "a POST", [POST_OPEN, frame(DATA, END, 1, b"x")], ANSWER),
    ("8.1", "a POST with trailers", [POST_OPEN, frame(DATA, 0, 1, b"x"), head(block=field(b"x-test", b"ok"))], ANSWER),
    ("8.1", "a second HEADERS without END_STREAM", [POST_OPEN, head(block=field(b"x-test", b"ok"), flags=END_HEADERS)], MALFORMED),
    ("8.2", "a field's name in upper case", fields(field(b"X-TEST", b"ok")), MALFORMED),
    ("8.2.2", "a connection field", fields(field(b"connection", b"keep-alive")), MALFORMED),
    ("8.2.2", "te with another value than trailers", fields(field(b"te", b"trailers, deflate")), MALFORMED),
    ("8.3", "an unknown pseudo field", fields(field(b":test", b"ok")), MALFORMED),
    ("8.3", "a pseudo field of answers", fields(field(b":status", b"200")), MALFORMED),
    ("8.3", "a pseudo field in trailers", [POST_OPEN, frame(DATA, 0, 1, b"x"), head(block=GET)], MALFORMED),
    ("8.3", "a pseudo field after another field", block(field(b"x-test", b"ok") + BLOCK), MALFORMED),
    ("8.3.1", "an empty :path", block(GET + HTTPS + b"\x04\x00" + AUTHORITY), MALFORMED),
    ("8.3.1", "no :method", block(HTTPS + ROOT + AUTHORITY), MALFORMED),
    ("8.3.1", "no :scheme", block(GET + ROOT + AUTHORITY), MALFORMED),
    ("8.3.1", "no :path", block(GET + HTTPS + AUTHORITY), MALFORMED),
    ("8.3.1", ":method twice", block(GET + BLOCK), MALFORMED),
    ("8.3.1", ":scheme twice", block(HTTPS + BLOCK), MALFORMED),
    ("8.3.1", ":path twice", block(ROOT + BLOCK), MALFORMED),
    ("8.1.1", "a content-length that is not DATA's", [head(block=POSTED + field(b"content-length", b"1"), flags=END_HEADERS), frame(DATA, END, 1, b"test")], MALFORMED),
    ("8.1.1", "a content-length that is not that of several DATA", [head(block=POSTED + field(b"content-length", b"1"), flags=END_HEADERS), frame(DATA, 0, 1, b"test"), frame(DATA, END, 1, b"test")], MALFORMED),
    # HPACK.
    ("H2.3.3", "an index beyond the tables", fields(b"\xc6"), COMPRESSION),
    ("H2.3.3", "a name's index beyond the tables", fields(b"\x7f\x07" + text(b"x")), COMPRESSION),
    ("H4.2", "a table size update at the end of a block", fields(b"\x21"), COMPRESSION),
    ("H5.2", "Huffman padding of more than 7 bits", fields(b"\x00" + text(b"x-test") + text(b"\x1f\xff", True)), COMPRESSION),
    ("H5.2", "Huffman padding of zeros", fields(b"\x00" + text(b"x-test") + text(b"\x18", True)), COMPRESSION),
    ("H5.2", "Huffman text with EOS", fields(b"\x00" + text(b"x-test") + text(b"\xff\xff\xff\xff", True)), COMPRESSION),
    ("H6.1", "the index 0", fields(b"\x80"), COMPRESSION),
    ("H6.1", "an indexed field", block(GET + HTTPS + ROOT + AUTHORITY + b"\x90"), ANSWER),
    ("H6.2.1", "a literal that is indexed, its name from the table", fields(b"\x7a" + text(b"client")), ANSWER),
    ("H6.2.1", "the same in Huffman code", fields(b"\x7a" + text(bytes.fromhex("3a47"), True)), ANSWER),
    ("H6.2.1", "a literal that is indexed, with a new name", fields(field(b"x-test", b"ok", 0x40)), ANSWER),
    ("H6.2.1", "the same in Huffman code", fields(b"\x40" + text(bytes.fromhex("f2b12d424f4f"), True) + text(bytes.fromhex("3d7f"), True)), ANSWER),
    ("H6.2.2", "a literal that is not indexed, its name from the table", fields(b"\x0f\x2b" + text(b"client")), ANSWER),
    ("H6.2.2", "the same in Huffman code", fields(b"\x0f\x2b" + text(bytes.fromhex("3a47"), True)), ANSWER),
    ("H6.2.2", "a literal that is not indexed, with a new name", fields(field(b"x-test", b"ok")), ANSWER),
    ("H6.2.2", "the same in Huffman code", fields(b"\x00" + text(bytes.fromhex("f2b12d424f4f"), True) + text(bytes.fromhex("3d7f"), True)), ANSWER),
    ("H6.2.3", "a literal that is never indexed, its name from the table", fields(b"\x1f\x2b" + text(b"client")), ANSWER),
    ("H6.2.3", "the same in Huffman code", fields(b"\x1f\x2b" + text(bytes.fromhex("3a47"), True)), ANSWER),
    ("H6.2.3", "a literal that is never indexed, with a new name", fields(field(b"x-test", b"ok", 0x10)), ANSWER),
    ("H6.2.3", "the same in Huffman code", fields(b"\x10" + text(bytes.fromhex("f2b12d424f4f"), True) + text(bytes.fromhex("3d7f"), True)), ANSWER),
    ("H6.3", "a table size update", block(b"\x3f\xe1\x01" + BLOCK), ANSWER),
    ("H6.3", "several table size updates", block(b"\x20\x3f\xe1\x01" + BLOCK), ANSWER),
    ("H6.3", "a table size update above the setting", block(b"\x3f\xe2\x1f" + BLOCK), COMPRESSION),
]


class Raw:
    """A connection that records events as words."""

    def __init__(self, world, preface=PREFACE + frame(SETTINGS, 0, 0)):
        gateway = world.gateway
        self.sock = connect_tls(gateway.host, gateway.port("provider"), tls_context(gateway.ca))
        self.buffer, self.frames, self.ended, self.events, self.closed = b"", [], set(), [], False
        self.write(preface)

    def write(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            self.closed = True

    def read(self, seconds=20):
        """Returns the next frame, or None at the end."""
        end = time.monotonic() + seconds
        while not (len(self.buffer) >= 9 and len(self.buffer) >= 9 + self.length):
            self.sock.settimeout(max(0.001, end - time.monotonic()))
            try:
                data = self.sock.recv(65536)
            except TimeoutError:
                raise Mismatch("received nothing within the time limit") from None
            except OSError:
                data = b""
            if not data:
                self.closed = True
                return None
            self.buffer += data
        kind, flags = self.buffer[3], self.buffer[4]
        stream = struct.unpack(">I", self.buffer[5:9])[0] & 0x7FFFFFFF
        payload, self.buffer = self.buffer[9:9 + self.length], self.buffer[9 + self.length:]
        self.frames.append((kind, flags, stream, payload))
        return self.frames[-1]

    @property
    def length(self):
        return int.from_bytes(self.buffer[:3], "big")

    def until(self, met):
        """Reads frames until `met` accepts one, and returns that frame; returns None at the end of the connection."""
        while got := self.read():
            if met(*got):
                return got
        return None

    def outcome(self):
        """Returns the server's action: the strongest event before the answer to a second PING, or the end.

        The answer to the first PING overtakes the data that the server writes in the same turn."""
        for mark in (MARK, b"the last"):
            self.write(frame(PING, 0, 0, mark))
            self.until(lambda kind, flags, _, payload: kind == PING and flags & ACK and payload == mark)
        return self.strongest()

    def strongest(self):
        kinds = {}
        for kind, flags, stream, payload in self.frames:
            kinds.setdefault(kind, []).append((flags, stream, payload))
        if GOAWAY in kinds:
            return "GOAWAY " + CODES[struct.unpack(">I", kinds[GOAWAY][0][2][4:8])[0]]
        if RST in kinds:
            return "RST_STREAM " + CODES[struct.unpack(">I", kinds[RST][0][2])[0]]
        if HEADERS in kinds:
            return OK
        return CUT if self.closed else NOTHING

    def close(self):
        self.sock.close()


def played(world, steps):
    raw = Raw(world)
    try:
        for step in steps:
            if isinstance(step, bytes):
                raw.write(step)
                continue
            raw.until(lambda kind, flags, stream, _: kind in (HEADERS, DATA) and stream == step[1]
                      and flags & END)
            raw.frames.clear()
        return raw.outcome()
    finally:
        raw.close()


def data_bytes(raw, count):
    """Returns the lengths of the next DATA frames, which contain `count` bytes in total."""
    lengths = []
    while sum(lengths) < count:
        got = raw.until(lambda kind, *_: kind == DATA)
        if not got:
            break
        lengths.append(len(got[3]))
    return "+".join(map(str, lengths))


def special(world, name):
    """Runs the cases that need more than bytes and an outcome."""
    preface = PREFACE + frame(SETTINGS, 0, 0)
    if name == "bad preface":
        preface = b"INVALID CONNECTION PREFACE\r\n\r\n"
    elif name == "window of 1" or name == "negative window":
        preface = PREFACE + setting(4, 1 if name == "window of 1" else 3)
    elif name == "last window":
        preface = PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HIHI", 4, 100, 4, 3))
    elif name == "window changes":
        preface = PREFACE + setting(4, 0)
    raw = Raw(world, preface)
    try:
        return SPECIAL[name](raw)
    finally:
        raw.close()


def first_frame(raw):
    kind, flags, *_ = raw.read()
    return "SETTINGS" if kind == SETTINGS and not flags & ACK else f"a frame of type {kind}"


def bad_preface(raw):
    raw.until(lambda *_: False)
    return raw.strongest()


def too_many(raw):
    raw.write(b"".join(head(2 * number + 1, block=POSTED, flags=END_HEADERS) for number in range(1200)))
    got = raw.until(lambda kind, *_: kind in (RST, GOAWAY))
    return raw.strongest() if got else CUT


def goaway_first(raw):
    raw.write(frame(PING, 0, 0, b"x" * 6))
    raw.until(lambda *_: False)
    return raw.strongest()


def acknowledged(raw):
    return "acknowledged" if raw.until(lambda kind, flags, *_: kind == SETTINGS and flags & ACK) else CUT


def ping(raw):
    raw.write(frame(PING, 0, 0, b"h2spec!!"[::-1]))
    got = raw.until(lambda kind, flags, *_: kind == PING and flags & ACK)
    return "the same bytes" if got and got[3] == b"h2spec!!"[::-1] else "others"


def stray_ping(raw):
    raw.write(frame(PING, ACK, 0, b"stranger"))
    raw.outcome()
    return "an answer" if any(got[0] == PING and got[3] == b"stranger" for got in raw.frames) else "no answer"


def window_of_one(raw):
    raw.write(head())
    return data_bytes(raw, 1)


def last_window(raw):
    raw.write(head())
    return data_bytes(raw, 3)


def window_changes(raw):
    raw.write(head())
    raw.until(lambda kind, *_: kind == HEADERS)
    raw.write(setting(4, 1))
    return data_bytes(raw, 1)


def negative_window(raw):
    # Three bytes were sent, so the stream's window becomes -1; an increment of 2 makes it 1.
    raw.write(head())
    if data_bytes(raw, 3) != "3":
        return "another window"
    raw.write(setting(4, 2) + update(1, 2))
    return data_bytes(raw, 1)


SPECIAL = {
    "bad preface": bad_preface, "first frame": first_frame, "too many streams": too_many,
    "goaway first": goaway_first, "acknowledged": acknowledged, "ping": ping, "stray ping": stray_ping,
    "window of 1": window_of_one, "last window": last_window, "window changes": window_changes,
    "negative window": negative_window}


def results(world):
    """Yields each case with its outcome: (section, description, actual outcome, outcome in the RFC, our outcome,
    reason)."""
    for section, what, steps, wanted, *own in CASES:
        ours, why = own or (None, None)
        came = special(world, steps) if isinstance(steps, str) else played(world, steps)
        yield section, what, came, wanted, ours, why


def http2_cases(world):
    """Checks that every case is answered as the RFC requires or, if the table specifies another outcome, as the table
    specifies."""
    wrong = []
    for section, what, came, wanted, ours, _ in results(world):
        if came not in ({ours} if ours else wanted):
            wrong.append(f"{section} {what}: {came}, not {ours or ' or '.join(sorted(wanted))}")
    if wrong:
        raise Mismatch("; ".join(wrong))
