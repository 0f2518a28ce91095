"""The network: a bridge in the namespace of this process, and one network namespace for each machine.

This process is the machine of the providers and devices. It runs in its own network, mount and process namespaces, so
everything that it starts ends together with it."""
import os
import signal
import subprocess
import time

NETWORK = "10.77.0."
CLIENTS = NETWORK + "1"
BRIDGE = "bridge"
# The unprivileged users that run the engines, and their groups.
GROUPS = {"postgres": "postgres", "nobody": "nogroup"}
# The source tree and the Python interpreter can be in a folder that only root may search.
READS = "-all,+dac_read_search"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def create_bridge():
    run("mount", "-t", "tmpfs", "none", "/run")
    run("mount", "-t", "tmpfs", "none", "/dev/shm")  # killed database servers leave segments there
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", BRIDGE, "type", "bridge", "forward_delay", "0")
    run("ip", "address", "add", CLIENTS + "/24", "dev", BRIDGE)
    run("ip", "link", "set", BRIDGE, "up")


class Machine:
    """A network namespace with one address on the bridge."""

    all = []  # every machine, so that all can be ended

    def __init__(self, name, number):
        self.name, self.address = name, f"{NETWORK}{number}"
        self.all.append(self)
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"to-{name}", "master", BRIDGE, "up")
        self.run("ip", "address", "add", self.address + "/24", "dev", "eth0")
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "link", "set", "eth0", "up")

    def inside(self, *words):
        return ["ip", "netns", "exec", self.name, *map(str, words)]

    def run(self, *words):
        run(*self.inside(*words))

    def start(self, log, *words, user=None):
        """Starts a program on this machine; `user` is the name of an unprivileged user."""
        if user:
            words = ("setpriv", f"--reuid={user}", f"--regid={GROUPS[user]}", "--clear-groups",
                     f"--inh-caps={READS}", f"--ambient-caps={READS}", *words)
        with open(log, "ab") as output:
            return subprocess.Popen(self.inside(*words), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    cwd="/", start_new_session=True)

    def cut_from(self, machines):
        """Drops the packets between this machine and others, in both directions."""
        for other in machines:
            self.run("iptables", "-w", "-A", "INPUT", "-s", other.address, "-j", "DROP")
            self.run("iptables", "-w", "-A", "OUTPUT", "-d", other.address, "-j", "DROP")

    def cut_off(self):
        """Drops every packet to and from this machine."""
        self.run("iptables", "-w", "-A", "INPUT", "-i", "eth0", "-j", "DROP")
        self.run("iptables", "-w", "-A", "OUTPUT", "-o", "eth0", "-j", "DROP")

    def heal(self):
        self.run("iptables", "-w", "-F")

    def processes(self):
        found = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, text=True).stdout
        return [int(one) for one in found.split()]

    def freeze(self):
        """Stops each process, including those that were forked in the meantime."""
        stopped = set()
        while running := set(self.processes()) - stopped:
            self._signal(running, signal.SIGSTOP)
            stopped |= running

    def unfreeze(self):
        self._signal(self.processes(), signal.SIGCONT)

    def kill(self):
        """Kills each process, and waits until none is left."""
        while running := self.processes():
            self._signal(running, signal.SIGKILL)
            time.sleep(0.02)

    @staticmethod
    def _signal(processes, number):
        for process in processes:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
