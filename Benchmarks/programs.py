"""Starts the benchmarks' programs and measures their cost. All of them exit with this process."""
import ctypes
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BELFRY = ROOT / ".build/release/belfry"
SERVER, LOAD = "0", "1"  # the cores
TIMEOUT = 120  # seconds


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A process that is bound to one core, and the JSON lines that it prints."""

    def __init__(self, arguments, core, log):
        self.log = pathlib.Path(log)
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                ["taskset", "--cpu-list", core, *map(str, arguments)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=file, preexec_fn=die_with_parent)
        self.pid = self.process.pid  # taskset becomes the program
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            try:
                self.lines.put(json.loads(line))
            except ValueError:
                continue
        self.lines.put(None)

    def event(self, name, timeout=TIMEOUT):
        end = time.monotonic() + timeout
        while True:
            line = self.lines.get(timeout=max(0.001, end - time.monotonic()))
            if line is None:
                raise SystemExit(f"belfry: a program exited: {self.log.read_text()[-1000:]}")
            if line.get("event") == name:
                return line

    def tell(self, **order):
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def cpu_microseconds(self):
        """Returns the CPU time of all threads, as accounted by the scheduler."""
        total = 0
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total / 1000

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) * 1024

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Gateway(Program):
    def __init__(self, folder, name="gateway", loops=1):
        self.data = folder / name
        ready = folder / f"{name}-ready.json"
        ready.unlink(missing_ok=True)
        ports = [word for port in ("provider", "device", "binary", "feedback", "console")
                 for word in (f"--{port}-port", 0)]
        super().__init__(
            [BELFRY, "gateway", "--data", self.data, "--ready-file", ready, "--loops", loops,
             *ports], SERVER, folder / f"{name}.log")
        end = time.monotonic() + TIMEOUT
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"belfry: the gateway did not start: {self.log.read_text()}")
            time.sleep(0.01)
        self.ready = json.loads(ready.read_text())

    def jwt(self):
        return subprocess.run([BELFRY, "key", "jwt", "--data", self.data], check=True,
                              capture_output=True, text=True).stdout.strip()

    def devices(self, folder, name, count, *options):
        return Program(
            [BELFRY, "device", "run", "--gateway",
             f"{self.ready['host']}:{self.ready['ports']['device']}", "--ca", self.ready["caFile"],
             "--enroll", self.ready["enrollmentCode"], "--data", folder / name, "--count", count,
             "--app", "com.example.bench", *options], LOAD, folder / f"{name}.log")


class Nghttpd(Program):
    """The reference server: nghttp2's own, which answers the same requests with empty files."""

    def __init__(self, folder, tokens, identity):
        documents = folder / "documents/3/device"
        documents.mkdir(parents=True, exist_ok=True)
        for token in tokens:
            (documents / token).touch()
        self.port = free_port()
        super().__init__(
            ["nghttpd", "-n1", "-m1000", "-a", "127.0.0.1", "-d", folder / "documents", self.port,
             identity / "server-key.pem", identity / "server.pem"], SERVER, folder / "nghttpd.log")
        end = time.monotonic() + 10
        while not listens(self.port):
            if time.monotonic() > end:
                raise SystemExit("belfry: nghttpd did not start")
            time.sleep(0.01)


def free_port():
    import socket
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def listens(port):
    import socket
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def h2load(folder, port, tokens, jwt, requests, expiration, clients=4, streams=50):
    """Runs h2load over all tokens; returns the requests per second and the number of requests that were answered with
    200."""
    uris = folder / f"uris-{port}"
    uris.write_text("".join(f"https://127.0.0.1:{port}/3/device/{token}\n" for token in tokens))
    body = folder / "body.json"
    body.write_text('{"aps":{"alert":{"title":"Benchmark","body":"' + "x" * 120 + '"},'
                    '"sound":"default"}}')
    headers = ["apns-topic: com.example.bench", "apns-push-type: alert", "apns-priority: 10",
               f"authorization: bearer {jwt}"]
    if expiration is not None:
        headers.append(f"apns-expiration: {expiration}")
    words = [word for header in headers for word in ("-H", header)]
    done = subprocess.run(
        ["taskset", "--cpu-list", LOAD, "h2load", "-n", str(requests), "-c", str(clients), "-m",
         str(streams), "-i", str(uris), "-d", str(body), *words], capture_output=True, text=True,
        timeout=TIMEOUT * 3)
    rate = re.search(r"finished in [\d.]+m?s, ([\d.]+) req/s", done.stdout)
    codes = re.search(r"status codes: (\d+) 2xx", done.stdout)
    if not rate or not codes:
        raise SystemExit(f"belfry: h2load: {done.stdout}{done.stderr}")
    return float(rate.group(1)), int(codes.group(1))


def wait_quiet(limit=5):
    """Waits for a second in which the machine is nearly idle, for at most `limit` seconds."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        before = busy()
        time.sleep(0.5)
        if busy() - before < 0.5 * os.sysconf("SC_CLK_TCK") * 0.3:
            return


def busy():
    fields = list(map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]))
    return sum(fields) - fields[3] - fields[4]
