"""The processes under load: a gateway that is killed and restarted, virtual devices, and an agent with its app.

Every process exits together with this one and is terminated by its process ID."""
import ctypes
import fcntl
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time

from waiting import Trouble, wait_for

LISTENERS = ("provider", "device", "binary", "feedback", "console")
START_SECONDS = 60  # for a start, and for a command that must be answered


class Limit:
    """The time at which a measurement stops with the results so far."""
    end = float("inf")

    @classmethod
    def set(cls, minutes):
        cls.end = time.monotonic() + minutes * 60

    @classmethod
    def is_over(cls):
        return time.monotonic() > cls.end


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def cpu_seconds(pid):
    """Returns the CPU time of all threads of a process."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def descriptors(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


class Program:
    """A process of `belfry`, whose JSON lines are passed to `handle` on a separate thread."""

    def __init__(self, belfry, words, folder, name, handle=None, nice=0):
        self.log = pathlib.Path(folder, f"{name}.log")
        environment = dict(os.environ, XDG_STATE_HOME=str(folder), HOME=str(folder),
                           XDG_RUNTIME_DIR=str(folder))
        environment.pop("DBUS_SESSION_BUS_ADDRESS", None)

        def prepare():
            die_with_parent()
            if nice:
                os.nice(nice)

        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(belfry), *map(str, words)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if handle else subprocess.DEVNULL, stderr=log,
                env=environment, preexec_fn=prepare)
        self.pid = self.process.pid
        self.reader = None
        if handle:
            self.reader = threading.Thread(target=self._read, args=(handle,), daemon=True)
            self.reader.start()

    def _read(self, handle):
        for line in self.process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                continue  # a killed process may leave an incomplete line
            handle(event)

    def order(self, **order):
        try:
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it was killed

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if self.reader:
            self.reader.join(START_SECONDS)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()

    def last_words(self):
        return self.log.read_text(errors="replace")[-2_000:]


# Locks on blocks of ports, which this process holds until it exits.
PORT_LOCKS = []
PORTS_PER_BLOCK = 16


def reserved_ports(count):
    """Returns ports on which no program listens, and which neither the kernel nor the tests assign to other programs.

    The kernel could assign a port that it has chosen to another connection while the gateway is down. Scripts that run
    at the same time lock different blocks of ports, so that none takes a port that another has found, but not opened."""
    blocks = range(6_000, 10_000, PORTS_PER_BLOCK)
    for first in random.sample(blocks, len(blocks)):
        lock = open(pathlib.Path(tempfile.gettempdir()) / f"belfry-ports-{first}.lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        ports = [port for port in range(first, first + PORTS_PER_BLOCK) if is_free(port)]
        if len(ports) >= count:
            PORT_LOCKS.append(lock)
            return ports[:count]
        lock.close()
    raise Trouble("no free ports from 6000 to 9999")


def is_free(port):
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


class Gateway:
    """A gateway in its own folder, with the same ports at each start."""

    def __init__(self, belfry, folder, *options):
        self.belfry, self.folder, self.options = belfry, pathlib.Path(folder), options
        self.data = self.folder / "gateway"
        self.ready_file = self.folder / "ready.json"
        self.program, self.ports = None, dict(zip(LISTENERS, reserved_ports(len(LISTENERS))))
        self.start()
        self.ready = self.wait_ready()
        self.ports = {name: self.ready["ports"][name] for name in LISTENERS}

    def start(self):
        self.ready_file.unlink(missing_ok=True)
        words = ["gateway", "--data", self.data, "--ready-file", self.ready_file, *self.options]
        for name, port in self.ports.items():
            words += [f"--{name}-port", port]
        self.program = Program(self.belfry, words, self.folder, "gateway")

    def is_ready(self):
        if self.program.process.poll() is not None:
            raise Trouble(f"the gateway did not start: {self.program.last_words()}")
        return self.ready_file.exists()

    def wait_ready(self, seconds=START_SECONDS):
        wait_for(self.is_ready, "the gateway's start", seconds)
        return json.loads(self.ready_file.read_text())

    @property
    def pid(self):
        return self.program.pid

    def command(self, *words):
        """Returns the output of an administration command."""
        done = subprocess.run(
            [str(self.belfry), *map(str, words), "--data", str(self.data)], capture_output=True,
            text=True, timeout=START_SECONDS, env=dict(os.environ, XDG_STATE_HOME=str(self.folder)))
        if done.returncode != 0:
            raise Trouble(f"belfry {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def jwt(self):
        return self.command("key", "jwt").strip()


class Devices:
    """`belfry device run`, with its tokens, its connected devices, and the deliveries to each device."""

    def __init__(self, gateway, name, count, topic, *options, on_received=None, nice=None):
        if nice is None:
            # A fleet that loads the machine yields to the gateway that is being measured. A small fleet, as in the
            # tests, must not yield: next to other work, it would wait for the processor for minutes.
            nice = 10 if count >= 1_000 else 0
        self.count, self.on_received = count, on_received
        self.tokens, self.up, self.reasons, self.summary = {}, set(), {}, None
        self.changed = threading.Condition()
        self.program = Program(
            gateway.belfry,
            ["device", "run", "--gateway", gateway.data / "gateway.json", "--data",
             gateway.folder / name, "--count", count, "--app", topic, *options],
            gateway.folder, name, handle=self._handle, nice=nice)

    def _handle(self, event):
        kind = event.get("event")
        if kind == "received":
            if self.on_received:
                self.on_received(event)
            return
        with self.changed:
            if kind == "registered":
                self.tokens[event["device"]] = event["token"]
            elif kind == "link" and event["state"] == "up":
                self.up.add(event["device"])
            elif kind == "link":
                self.up.discard(event.get("device"))
                self.reasons[event.get("device")] = event.get("reason")
            elif kind == "summary":
                self.summary = event
            self.changed.notify_all()

    def wait_registered(self, seconds=300):
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.tokens) >= self.count, seconds):
                raise Trouble(f"{len(self.tokens)} of {self.count} devices have a token")
        return self.tokens

    def wait_up(self, devices, seconds=300):
        """Brings up the devices that were set offline and the devices that wait for their next attempt."""
        start, step = time.monotonic(), 0
        with self.changed:
            while not self.up >= devices:
                step += 1
                for device in devices - self.up:
                    # A device that is set offline discards its remaining backoff.
                    if step % 100 == 0:
                        self.program.order(do="offline", device=device)
                    self.program.order(do="online", device=device)
                self.changed.wait(0.1)
                if time.monotonic() - start > seconds:
                    down = devices - self.up
                    raise Trouble(f"{len(down)} devices did not connect: "
                                  f"{ {self.reasons.get(device) for device in down} }")

    def ask_summary(self, seconds=START_SECONDS):
        with self.changed:
            self.summary = None
            self.program.order(do="summary")
            if not self.changed.wait_for(lambda: self.summary, seconds):
                raise Trouble("the devices sent no summary")
            return self.summary
