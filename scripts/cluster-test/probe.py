"""Measures the store's own failover: the longest time in which no server of the store committed a row."""
import threading
import time

import psycopg

from engines import DATABASE

PAUSE_SECONDS = 0.2
ANSWER_SECONDS = 2
TABLE = "CREATE TABLE IF NOT EXISTS fault_probe (server text PRIMARY KEY, written timestamptz)"
WRITE = "INSERT INTO fault_probe VALUES (%s, now()) ON CONFLICT (server) DO UPDATE SET written = now()"


class Probe(threading.Thread):
    """Writes a row each 200 ms through its own connection to one server.

    There is a probe for each server, so that the time that a client needs to find the new primary server is not counted
    as the store's."""

    def __init__(self, server, times):
        super().__init__(daemon=True)
        self.server, self.times = server, times

    def run(self):
        while True:
            try:
                self._write()
            except psycopg.Error:
                time.sleep(PAUSE_SECONDS)

    def _write(self):
        with psycopg.connect(host=self.server.address, dbname=DATABASE, user="postgres", autocommit=True,
                             connect_timeout=ANSWER_SECONDS, target_session_attrs="read-write",
                             tcp_user_timeout=ANSWER_SECONDS * 1_000, keepalives_idle=1, keepalives_interval=1,
                             keepalives_count=2, prepare_threshold=None) as connection:
            connection.execute(TABLE)
            while True:
                connection.execute(WRITE, [self.server.name])
                # A commit that was not replicated is reported with a warning, and the server ends the connection.
                connection.execute("SELECT 1")
                self.times.append(time.monotonic())
                time.sleep(PAUSE_SECONDS)
