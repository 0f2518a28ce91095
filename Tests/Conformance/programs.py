"""Runs real `belfry` programs for the vectors; they exit with this process, regardless of how it exits."""
import ctypes
import json
import pathlib
import queue
import signal
import subprocess
import threading
import time

TIMEOUT = 60  # seconds


class Failure(Exception):
    pass


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A running process, with its JSON lines as they arrive."""

    def __init__(self, arguments, errors):
        self.errors = pathlib.Path(errors)
        with open(errors, "ab") as file:
            self.process = subprocess.Popen(
                list(map(str, arguments)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=file, preexec_fn=die_with_parent)
        self.name = " ".join(map(str, arguments[1:3]))
        self.lines, self.kept = queue.Queue(), []
        threading.Thread(target=self.read_lines, daemon=True).start()

    def read_lines(self):
        for line in self.process.stdout:
            try:
                self.lines.put(json.loads(line))
            except ValueError:
                continue
        self.lines.put(None)

    def event(self, name, matches=lambda line: True, timeout=TIMEOUT):
        """Returns the next line with this event that matches; keeps other lines for later."""
        def wanted(line):
            return line.get("event") == name and matches(line)
        for index, line in enumerate(self.kept):
            if wanted(line):
                return self.kept.pop(index)
        end = time.monotonic() + timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                raise Failure(f"{self.name}: no '{name}' within {timeout} s") from None
            if line is None:
                self.lines.put(None)
                raise Failure(f"{self.name} exited: {self.errors.read_text()[-500:]}")
            if wanted(line):
                return line
            self.kept.append(line)

    def tell(self, **order):
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Gateway:
    """A gateway on free ports with an empty data folder."""

    def __init__(self, belfry, folder, name, *options):
        self.belfry, self.data = belfry, folder / name
        ready = folder / f"{name}-ready.json"
        ports = [word for port in ("provider", "device", "binary", "feedback", "console")
                 for word in (f"--{port}-port", 0)]
        self.program = Program(
            [belfry, "gateway", "--data", self.data, "--ready-file", ready, *ports, *options],
            folder / f"{name}.log")
        end = time.monotonic() + TIMEOUT
        while not ready.exists():
            if self.program.process.poll() is not None or time.monotonic() > end:
                raise Failure(f"the gateway did not start: {self.program.errors.read_text()}")
            time.sleep(0.01)
        self.ready = json.loads(ready.read_text())
        self.host, self.ca = self.ready["host"], self.ready["caFile"]

    def port(self, name):
        return self.ready["ports"][name]

    def command(self, *words):
        """Runs an administration command on this gateway; returns its output."""
        done = subprocess.run(
            list(map(str, [self.belfry, *words, "--data", self.data])), capture_output=True,
            text=True, timeout=TIMEOUT)
        if done.returncode != 0:
            raise Failure(f"belfry {' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout.strip()

    def devices(self, folder, name, *apps):
        words = [word for app in apps for word in ("--app", app)]
        return Program(
            [self.belfry, "device", "run", "--gateway", f"{self.host}:{self.port('device')}",
             "--ca", self.ca, "--enroll", self.ready["enrollmentCode"], "--data", folder / name,
             *words], folder / f"{name}.log")
