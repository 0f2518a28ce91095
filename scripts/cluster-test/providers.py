"""The providers: one HTTP/2 connection to each gateway, with pushes at a fixed rate to random devices."""
import json
import random
import select
import socket
import ssl
import threading
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from gateways import PORTS, TOPIC

ONCE_SHARE = 0.15  # of the pushes have expiration 0
UNDER_WAY_MAX = 500  # pushes per connection; more than one second's pushes, so that slow answers do not stop others
ANSWER_SECONDS = 30  # after which the connection is closed, and its pushes count as not answered
CONNECT_SECONDS = 3
KEEP_SECONDS = 3_600  # the expiration of a push that is stored


class Provider(threading.Thread):
    """Sends pushes to one gateway. It never repeats a push, so a push without an answer is unknown."""

    def __init__(self, gateway, tokens, authority, ledger, rate, seed):
        super().__init__(daemon=True)
        self.gateway, self.ledger, self.rate = gateway, ledger, rate
        self.tokens, self.chance = list(tokens.items()), random.Random(seed)
        self.context = ssl.create_default_context(cafile=authority)
        self.context.set_alpn_protocols(["h2"])
        self.jwt, self.is_sending, self.waiting = "", False, {}
        self.number = 0

    def run(self):
        while True:
            if not self.is_sending:
                time.sleep(0.02)
                continue
            try:
                with self._connect() as self.sock:
                    self._serve()
            except (OSError, h2.exceptions.ProtocolError):
                pass
            self.ledger.lose(len(self.waiting))
            self.waiting = {}
            time.sleep(0.1)

    def is_idle(self):
        return not self.waiting

    def _connect(self):
        plain = socket.create_connection((self.gateway.address, PORTS["provider"]), timeout=CONNECT_SECONDS)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self.context.wrap_socket(plain, server_hostname=self.gateway.address)
        except BaseException:
            plain.close()
            raise

    def _serve(self):
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.http.initiate_connection()
        self.sock.setblocking(False)
        self.output, self.is_open = b"", True
        next_push = time.monotonic()
        while self.is_open:
            now = time.monotonic()
            # After a pause, the pushes that were due in the meantime are not sent.
            next_push = max(next_push, now - 0.1)
            # The gateway allows one push at a time until it has verified the provider token.
            places = min(UNDER_WAY_MAX, self.http.remote_settings.max_concurrent_streams)
            while self.is_sending and next_push <= now and len(self.waiting) < places \
                    and self.http.outbound_flow_control_window > 1_000:
                self._push()
                next_push += 1 / self.rate
            self.output += self.http.data_to_send()
            self._transfer()
            oldest = next(iter(self.waiting.values()), None)
            if oldest and time.monotonic() - oldest[2] > ANSWER_SECONDS:
                return

    def _push(self):
        device, token = self.chance.choice(self.tokens)
        is_once = self.chance.random() < ONCE_SHARE
        self.number += 1
        stream = self.http.get_next_available_stream_id()
        self.http.send_headers(stream, [
            (":method", "POST"), (":scheme", "https"), (":authority", self.gateway.address),
            (":path", f"/3/device/{token}"), ("authorization", f"bearer {self.jwt}"),
            ("apns-topic", TOPIC), ("apns-push-type", "alert"),
            ("apns-expiration", "0" if is_once else str(int(time.time()) + KEEP_SECONDS))])
        payload = {"aps": {"alert": "Hello"}, "from": self.gateway.name, "number": self.number}
        self.http.send_data(stream, json.dumps(payload).encode(), end_stream=True)
        self.waiting[stream] = [device, is_once, time.monotonic(), None, None]

    def _transfer(self):
        """Sends the output, and handles the input of the next few milliseconds."""
        select.select([self.sock], [self.sock] if self.output else [], [], 0.01)
        try:
            if self.output:
                self.output = self.output[self.sock.send(self.output):]
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        try:
            data = self.sock.recv(65_536)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        if not data:
            self.is_open = False
        for event in self.http.receive_data(data):
            self._handle(event)

    def _handle(self, event):
        match event:
            case h2.events.ResponseReceived() if event.stream_id in self.waiting:
                fields = dict(event.headers)
                self.waiting[event.stream_id][3:] = [int(fields[":status"]), fields.get("apns-unique-id", "").lower()]
            case h2.events.DataReceived():
                self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case h2.events.StreamEnded():
                device, is_once, sent, status, unique = self.waiting.pop(event.stream_id)
                self.ledger.answer(self.gateway.name, status, unique, device, is_once, sent)
            case h2.events.StreamReset():
                if self.waiting.pop(event.stream_id, None):
                    self.ledger.lose(1)
            case h2.events.ConnectionTerminated():
                self.is_open = False
