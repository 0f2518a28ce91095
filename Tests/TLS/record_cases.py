"""Cases of TLS 1.3 records after the handshake: the data sent, our record layer's answer, and OpenSSL's answer.

Each case begins after the handshake of a device without a certificate, over tlslite-ng. "continues" means that the link
above TLS subsequently answers a HELLO. Any other answer is the alert with which the server closes the connection."""

HELLO = bytes.fromhex("000901010108004003840000")
ALERT, HANDSHAKE, DATA, CCS = 21, 22, 23, 20
KEY_UPDATE = bytes([24, 0, 0, 1, 0])
REQUEST = bytes([24, 0, 0, 1, 1])
ON, UNEXPECTED, DECODE = "continues", "unexpected_message", "decode_error"
MAC, OVERFLOW, ILLEGAL, END = "bad_record_mac", "record_overflow", "illegal_parameter", "close_notify"
LONGEST = 2**14


def records(*list_of_records):
    """Sends records, each with a type and its content."""
    def send(peer):
        for kind, content in list_of_records:
            peer.record(kind, content)
    return send


def key_update(*parts, updates=1):
    """Sends the bytes of KeyUpdate messages, one record per part, and changes the key the corresponding number of
    times."""
    def send(peer):
        for part in parts:
            peer.record(HANDSHAKE, part)
        for _ in range(updates):
            peer.update_keys()
    return send


def many_updates(count, empty=False):
    def send(peer):
        for _ in range(count):
            peer.record(HANDSHAKE, KEY_UPDATE)
            peer.update_keys()
            if empty:
                peer.record(DATA, b"")
    return send


def padded(content, total, kind=DATA):
    """Returns a record whose content, type, and padding are `total` bytes long."""
    return lambda peer: peer.record(kind, content, padding=total - len(content) - 1)


def hello_in_bytes(peer):
    for byte in HELLO:
        peer.record(DATA, bytes([byte]))
    peer.greeted = True


def replayed(peer):
    wire = peer.sealed(DATA, b"")
    peer.raw(wire + wire)


def changed(position):
    def send(peer):
        wire = bytearray(peer.sealed(DATA, HELLO))
        wire[position] ^= 1
        peer.raw(bytes(wire))
    return send


def other_version(peer):
    peer.version(3, 1)
    peer.record(DATA, b"")
    peer.version(3, 3)


def header(kind, length, body=b""):
    return lambda peer: peer.raw(bytes([kind, 3, 3]) + length.to_bytes(2, "big") + body)


# A description, the steps, our answer, OpenSSL's answer, and the reason.
CASES = [
    ("an empty alert", records((ALERT, b"")), UNEXPECTED, UNEXPECTED, "5.4: an alert record must not be empty"),
    ("an alert of 1 byte", records((ALERT, b"\2")), DECODE, UNEXPECTED, "5.1: an alert is one record; this message cannot be decoded (6)"),
    ("an alert of 3 bytes", records((ALERT, b"\2\0\0")), DECODE, UNEXPECTED, "5.1: as above"),
    ("an alert in two records", records((ALERT, b"\1"), (ALERT, b"\0")), DECODE, UNEXPECTED, "5.1: alerts are not fragmented"),
    ("two alerts in a record", records((ALERT, b"\1\0\1\0")), DECODE, UNEXPECTED, "5.1: as above"),
    ("close_notify", records((ALERT, b"\1\0")), END, END, "6.1"),
    ("user_canceled", records((ALERT, b"\1\x5a")), ON, ON, "6.1: close_notify follows"),
    ("a KeyUpdate", key_update(KEY_UPDATE), ON, ON, "4.6.3"),
    ("a KeyUpdate that requests another", key_update(REQUEST), ON, ON, "4.6.3: answered before the next content"),
    ("a KeyUpdate in records of 1 and 4 bytes", key_update(KEY_UPDATE[:1], KEY_UPDATE[1:]), ON, ON, "5.1: a message may be split"),
    ("a KeyUpdate in records of 4 and 1 bytes", key_update(KEY_UPDATE[:4], KEY_UPDATE[4:]), ON, ON, "5.1"),
    ("a KeyUpdate byte by byte", key_update(*(bytes([byte]) for byte in REQUEST)), ON, ON, "5.1"),
    ("a KeyUpdate without a body", records((HANDSHAKE, bytes([24, 0, 0, 0]))), DECODE, DECODE, "4.6.3: its length is 1"),
    ("a KeyUpdate with a body of 2 bytes", records((HANDSHAKE, bytes([24, 0, 0, 2, 0, 0]))), DECODE, ILLEGAL, "4.6.3"),
    ("a KeyUpdate with a body of 256 bytes", records((HANDSHAKE, bytes([24, 0, 1, 0]) + bytes(256))), DECODE, ILLEGAL, "4.6.3; rejected because of its length"),
    ("a KeyUpdate that declares 2^24 - 1 bytes", records((HANDSHAKE, bytes([24, 255, 255, 255]))), DECODE, ILLEGAL, "4.6.3; rejected before data is collected"),
    ("a KeyUpdate with the value 2", records((HANDSHAKE, bytes([24, 0, 0, 1, 2]))), ILLEGAL, ILLEGAL, "4.6.3"),
    ("a KeyUpdate with the value 255", records((HANDSHAKE, bytes([24, 0, 0, 1, 255]))), ILLEGAL, ILLEGAL, "4.6.3"),
    ("two KeyUpdates in a record", records((HANDSHAKE, KEY_UPDATE * 2)), UNEXPECTED, UNEXPECTED, "5.1: the record ends where the key changes"),
    ("a KeyUpdate and a part of the next", records((HANDSHAKE, KEY_UPDATE + b"\x18")), UNEXPECTED, UNEXPECTED, "5.1"),
    ("content between the parts of a KeyUpdate", records((HANDSHAKE, KEY_UPDATE[:2]), (DATA, HELLO)), UNEXPECTED, UNEXPECTED, "5.1: no other record may be between the parts"),
    ("empty content between the parts", records((HANDSHAKE, KEY_UPDATE[:2]), (DATA, b"")), UNEXPECTED, UNEXPECTED, "5.1"),
    ("an alert between the parts", records((HANDSHAKE, KEY_UPDATE[:2]), (ALERT, b"\1\0")), UNEXPECTED, UNEXPECTED, "5.1"),
    ("an empty part of a KeyUpdate", records((HANDSHAKE, KEY_UPDATE[:2]), (HANDSHAKE, b"")), UNEXPECTED, UNEXPECTED, "5.4: a handshake record must not be empty"),
    ("an empty handshake record", records((HANDSHAKE, b"")), UNEXPECTED, UNEXPECTED, "5.4"),
    ("32 KeyUpdates without content", many_updates(32), ON, ON, "each requires a key schedule, so at most 32 are permitted"),
    ("33 KeyUpdates without content", many_updates(33), UNEXPECTED, ON, "more than 32 count as a flood"),
    ("40 KeyUpdates with empty content between them", many_updates(40, empty=True), UNEXPECTED, ON, "empty records do not count as content"),
    ("a ClientHello", records((HANDSHAKE, bytes([1, 0, 0, 2, 3, 3]))), UNEXPECTED, UNEXPECTED, "4.1.2: no renegotiation in TLS 1.3"),
    ("a HelloRequest", records((HANDSHAKE, bytes(4))), UNEXPECTED, UNEXPECTED, "not a message of TLS 1.3"),
    ("a Finished", records((HANDSHAKE, bytes([20, 0, 0, 32]) + bytes(32))), UNEXPECTED, UNEXPECTED, "4.4: after the handshake"),
    ("a Certificate", records((HANDSHAKE, bytes([11, 0, 0, 4, 0, 0, 0, 0]))), UNEXPECTED, UNEXPECTED, "4.6.2: no certificate was requested"),
    ("a NewSessionTicket", records((HANDSHAKE, bytes([4, 0, 0, 1, 0]))), UNEXPECTED, UNEXPECTED, "4.6.1: only a server sends it"),
    ("an EndOfEarlyData", records((HANDSHAKE, bytes([5, 0, 0, 0]))), UNEXPECTED, UNEXPECTED, "4.5: no early data is accepted"),
    ("an unknown handshake message", records((HANDSHAKE, bytes([99, 0, 0, 0]))), UNEXPECTED, UNEXPECTED, "4: not an allowed message"),
    ("empty content", records((DATA, b"")), ON, ON, "5.1: permitted, as a protection against traffic analysis"),
    ("HELLO in records of 1 byte", hello_in_bytes, ON, ON, "5.1: content may be split"),
    ("content with padding", padded(b"", 300), ON, ON, "5.4"),
    ("content and padding of 2^14 + 1 bytes with the type", padded(b"", LONGEST + 1), ON, ON, "5.4: the maximum"),
    ("content and padding of 2^14 + 2 bytes with the type", padded(b"", LONGEST + 2), OVERFLOW, ON, "5.4: padding counts"),
    ("content and padding of 2^14 + 240 bytes with the type", padded(b"", LONGEST + 240), OVERFLOW, ON, "5.4"),
    ("an alert with padding of 2^14 + 2 bytes in total", padded(b"\1\0", LONGEST + 2, ALERT), OVERFLOW, END, "5.4"),
    ("2^14 + 1 bytes of content", records((DATA, bytes(LONGEST) + b"\1")), OVERFLOW, OVERFLOW, "5.1"),
    ("a record with no content, type or padding", lambda peer: peer.inner(b""), UNEXPECTED, MAC, "5.4: the type is missing"),
    ("a record of only padding", lambda peer: peer.inner(bytes(100)), UNEXPECTED, UNEXPECTED, "5.4: the type is missing"),
    ("content of type heartbeat", records((24, b"x")), UNEXPECTED, UNEXPECTED, "5: an unknown type"),
    ("content of type 99", records((99, b"x")), UNEXPECTED, UNEXPECTED, "5"),
    ("an encrypted ChangeCipherSpec", records((CCS, b"\1")), UNEXPECTED, UNEXPECTED, "5"),
    ("a plain ChangeCipherSpec", header(CCS, 1, b"\1"), UNEXPECTED, UNEXPECTED, "5: after the handshake"),
    ("a plain alert", header(ALERT, 2, b"\1\0"), UNEXPECTED, UNEXPECTED, "5: everything is encrypted"),
    ("a plain handshake record", header(HANDSHAKE, 5, KEY_UPDATE), UNEXPECTED, UNEXPECTED, "5"),
    ("a record of type 99", header(99, 17, bytes(17)), UNEXPECTED, UNEXPECTED, "5"),
    ("plain content", header(DATA, 20, bytes(20)), MAC, MAC, "5.2"),
    ("a record without a body", header(DATA, 0), MAC, MAC, "5.2: no tag; answered like any record that fails"),
    ("a record shorter than its tag", header(DATA, 15, bytes(15)), MAC, MAC, "5.2: as above"),
    ("a record of only a tag", header(DATA, 16, bytes(16)), MAC, MAC, "5.2"),
    ("a record of 2^14 + 257 bytes", header(DATA, LONGEST + 257), OVERFLOW, OVERFLOW, "5.2: rejected because of its header"),
    ("a record of 65,535 bytes", header(DATA, 65535), OVERFLOW, OVERFLOW, "5.2"),
    ("a bit changed in the content", changed(5), MAC, MAC, "5.2"),
    ("a bit changed in the tag", changed(-1), MAC, MAC, "5.2"),
    ("a bit changed in the header's version", changed(2), MAC, DECODE, "5.2: the header is authenticated"),
    ("the version 3.1 in a genuine header", other_version, ON, DECODE, "5.1: the field is ignored"),
    ("a record twice", replayed, MAC, MAC, "5.3: each record has its own number"),
]
