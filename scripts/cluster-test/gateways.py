"""The gateways: the nodes of the cluster, each on its own machine, and the service manager that restarts them."""
import json
import pathlib
import subprocess
import time
import urllib.request

from network import Machine
from waiting import Trouble, wait_for

BALANCER = "10.77.0.100"
PORTS = {"provider": 2197, "device": 5223, "console": 2198}
TOPIC = "com.example.app"
START_SECONDS = 60


class Gateway(Machine):
    """A machine with a node of the cluster."""

    def __init__(self, name, number, folder, belfry, store, bus):
        super().__init__(name, number)
        self.belfry, self.data = belfry, pathlib.Path(folder, name)
        self.log = pathlib.Path(folder, "logs", f"{name}.log")
        self.ready_file = pathlib.Path(folder, f"{name}.json")
        self.words = [
            belfry, "gateway", "--data", self.data, "--host", self.address, "--console-host", self.address,
            "--name", BALANCER, "--name", self.address, "--enroll", "open", "--enroll-rate", "100000",
            "--store", store, "--bus", bus, "--cluster-key", pathlib.Path(folder, "cluster-key"), "--node", name,
            "--ready-file", self.ready_file]
        self.process, self.is_wanted, self.exits = None, False, []

    def boot(self):
        self.ready_file.unlink(missing_ok=True)
        self.process, self.is_wanted = self.start(self.log, *self.words), True

    def kill(self):
        self.is_wanted = False
        super().kill()
        if self.process:
            self.process.wait()

    def drain(self):
        """Makes the node finish its work and exit, as for an upgrade."""
        self.is_wanted = False
        self.process.terminate()
        try:
            status = self.process.wait(timeout=START_SECONDS)
        except subprocess.TimeoutExpired:
            raise Trouble(f"the node {self.name} did not end after SIGTERM: see {self.log}")
        if status != 0:
            raise Trouble(f"the node {self.name} ended with status {status} after SIGTERM: see {self.log}")

    def restart_if_ended(self):
        """Acts as the service manager: starts the node again if it has exited by itself."""
        if self.is_wanted and self.process.poll() is not None:
            self.exits.append(self.process.returncode)
            self.boot()

    def is_ready(self):
        return self.process.poll() is None and self.ready_file.exists()

    def wait_ready(self):
        def is_ready():
            if self.process.poll() is not None:
                raise Trouble(f"the node {self.name} did not start: see {self.log}")
            return self.ready_file.exists()
        wait_for(is_ready, f"the start of {self.name}", START_SECONDS, 0.1)
        return json.loads(self.ready_file.read_text())

    def is_healthy(self):
        """Returns true if the gateway's process answers, which is what a load balancer checks."""
        try:
            url = f"http://{self.address}:{PORTS['console']}/healthz"
            with urllib.request.urlopen(url, timeout=1) as answer:
                return answer.status == 200
        except OSError:
            return False

    def command(self, *words):
        """Returns the output of an administration command."""
        done = subprocess.run(self.inside(self.belfry, *words, "--data", self.data), capture_output=True, text=True,
                              timeout=START_SECONDS)
        if done.returncode != 0:
            raise Trouble(f"belfry {words[0]} {words[1]}: {done.stderr.strip()}")
        return done.stdout.strip()


def create_cluster(belfry, folder, store):
    done = subprocess.run([belfry, "cluster", "init", "--store", store, "--cluster-key",
                           str(pathlib.Path(folder, "cluster-key"))], capture_output=True, text=True)
    if done.returncode != 0:
        raise Trouble(f"belfry cluster init: {done.stderr.strip()}")


def provider_token(gateways):
    """Returns a provider token from the first node that runs."""
    for gateway in gateways:
        try:
            return gateway.command("key", "jwt").split()[-1]
        except (Trouble, subprocess.TimeoutExpired):
            time.sleep(0.1)
    raise Trouble("no node issues a provider token")
