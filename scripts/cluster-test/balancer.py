"""The load balancer of the devices: translates its address to that of a random healthy gateway, in the kernel."""
import subprocess
import threading

from gateways import BALANCER, PORTS

CHECK_SECONDS = 1


class Balancer(threading.Thread):
    """Checks the gateways each second. If none is healthy, connections go to any of them."""

    def __init__(self, gateways):
        super().__init__(daemon=True)
        self.gateways, self.targets, self.stopped = gateways, None, threading.Event()
        self.use(gateways)

    def run(self):
        while not self.stopped.wait(CHECK_SECONDS):
            self.use([one for one in self.gateways if one.is_healthy()] or self.gateways)

    def use(self, targets):
        if targets == self.targets:
            return
        port = PORTS["device"]
        lines = ["*nat", ":OUTPUT ACCEPT"]
        for index, target in enumerate(targets):
            share = 1 / (len(targets) - index)
            lines.append(f"-A OUTPUT -d {BALANCER} -p tcp --dport {port} -m statistic --mode random "
                         f"--probability {share:.6f} -j DNAT --to-destination {target.address}:{port}")
        # The table is replaced as a whole, so no connection sees an incomplete one.
        subprocess.run(["iptables-restore", "-w"], input="\n".join([*lines, "COMMIT", ""]), text=True, check=True)
        self.targets = targets
