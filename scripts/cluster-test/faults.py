"""The faults: their kinds, their sequence for a seed, and how each one is caused and ended."""
import dataclasses
import random

# For each kind: the machines it concerns, the shortest and the longest duration in seconds, and the limit of the gap in
# seconds beyond the time in which the store itself was absent.
KINDS = {
    "node-killed": ("gateways", 3, 15, 1),
    "node-frozen": ("gateways", 5, 25, 1),
    "node-without-store": ("gateways", 5, 25, 1),
    "node-without-bus": ("gateways", 5, 25, 1),
    "node-without-both": ("gateways", 5, 25, 1),
    "store-killed": ("store", 28, 40, 10),
    "store-frozen": ("store", 28, 40, 10),
    "store-cut-off": ("store", 28, 40, 10),
    "bus-absent": ("bus", 20, 60, 10),
}
# Work of operators, which is played only if --kind names it.
WORK = {
    "node-upgraded": ("gateways", 3, 10, 1),
}
ALL = KINDS | WORK
# Of the nodes' faults, this share lasts longer than the lease (60 s) and the time after which a node is declared dead
# (70 s).
LONG_SHARE = 1 / 6
LONG_SECONDS = (75, 85)
LONG_KINDS = ("node-frozen", "node-without-store", "node-without-both")


@dataclasses.dataclass
class Fault:
    """A fault of the sequence. `seconds` is its duration, and `target` the number of the gateway that fails."""
    index: int
    kind: str
    target: int
    seconds: float
    is_partial: bool  # the store's leader is cut off from the other servers of the store, but not from its clients


def sequence(seed, count):
    """Returns the first faults of the sequence for this seed: each kind once in each round, in random order."""
    faults = []
    while len(faults) < count:
        chance = random.Random(f"{seed}/{len(faults)}")
        for kind in chance.sample(list(KINDS), len(KINDS)):
            _, shortest, longest, _ = KINDS[kind]
            is_long = kind in LONG_KINDS and chance.random() < LONG_SHARE
            seconds = chance.uniform(*(LONG_SECONDS if is_long else (shortest, longest)))
            faults.append(Fault(len(faults), kind, chance.randrange(3), round(seconds, 1), chance.random() < 0.5))
    return faults[:count]


def upgrades(seed, count):
    """Returns the first upgrades for this seed: one node after the other drains, and starts again."""
    chance = random.Random(f"{seed}/upgrades")
    first = 1_000_000  # the numbers below are those of the faults
    return [Fault(first + number, "node-upgraded", number % 3, round(chance.uniform(*WORK["node-upgraded"][1:3]), 1), False)
            for number in range(count)]


class Injection:
    """A fault in the running cluster."""

    def __init__(self, fault, gateways, store, bus):
        self.fault, self.gateways, self.store, self.bus = fault, gateways, store, bus
        self.machine = {"gateways": lambda: gateways[fault.target], "store": store.leader, "bus": lambda: bus}[
            ALL[fault.kind][0]]()

    def begin(self):
        others = [one for one in self.store.servers if one is not self.machine]
        match self.fault.kind:
            case "node-killed" | "store-killed" | "bus-absent":
                self.machine.kill()
            case "node-upgraded":
                self.machine.drain()
            case "node-frozen" | "store-frozen":
                self.machine.freeze()
            case "node-without-store":
                self.machine.cut_from(self.store.servers)
            case "node-without-bus":
                self.machine.cut_from([self.bus])
            case "node-without-both":
                self.machine.cut_from([*self.store.servers, self.bus])
            case "store-cut-off" if self.fault.is_partial:
                self.machine.cut_from(others)
            case "store-cut-off":
                self.machine.cut_off()

    def end(self):
        match self.fault.kind:
            case "node-killed" | "node-upgraded" | "store-killed" | "bus-absent":
                self.machine.boot()
            case "node-frozen" | "store-frozen":
                self.machine.unfreeze()
            case _:
                self.machine.heal()

    @property
    def survivors(self):
        """The gateways that must continue to accept pushes."""
        return [one for one in self.gateways if one is not self.machine]
