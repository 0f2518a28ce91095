"""Kills the gateway with SIGKILL under load, and counts the pushes that were answered with 200 but lost, and those that
were delivered twice."""
import collections
import json
import random
import time

from .processes import Devices, Gateway, Limit, Trouble, wait_for
from .provider import Answers, Provider

TOPIC = "com.example.reliability"
DEVICES = 40
AWAY = 10  # offline devices in each round, whose pushes are stored
PROVIDERS = 4
RATE = 150  # pushes per second from each provider
QUIET_SECONDS = 30  # without a delivery, after which missing pushes count as lost
FATES = ("Replaced", "Discarded")  # permitted log states of a push that did not reach its device


class Receipt:
    """The deliveries to the devices, by the push's identifier."""

    def __init__(self):
        self.counts, self.last, self.stored = collections.Counter(), 0.0, 0

    def note(self, event):
        self.last = time.monotonic()
        self.counts[event["apnsID"].lower()] += 1
        self.stored += event["stored"]


def measure(belfry, folder, kills, seed):
    chance = random.Random(seed)
    gateway = Gateway(belfry, folder)
    gateway.command("topic", "add", "--team", gateway.ready["teamID"], "--keep", "all", TOPIC)
    receipt, answers = Receipt(), Answers()
    devices = Devices(gateway, "devices", DEVICES, TOPIC, on_received=receipt.note, nice=0)
    tokens = dict(devices.wait_registered())
    everyone = set(tokens)
    jwt = gateway.jwt()
    providers = [Provider(gateway, jwt, TOPIC, tokens, answers, RATE) for _ in range(PROVIDERS)]
    for provider in providers:
        provider.start()
    pauses, early, killed = [], 0, 0
    try:
        while killed < kills and not Limit.is_over():
            # The offline devices differ from round to round, so that every device eventually has stored pushes.
            away = set(chance.sample(sorted(everyone), AWAY))
            if chance.random() < 0.1:
                time.sleep(chance.uniform(0, 0.3))  # during the start
                early += 1
            else:
                gateway.wait_ready()
                if chance.random() < 0.8:
                    devices.wait_up(everyone - away)
                for device in away:
                    devices.program.order(do="offline", device=device)
                time.sleep(chance.uniform(0.05, 1.0))
            gateway.program.kill()
            killed, moment = killed + 1, time.monotonic()
            # A device that is set offline discards its remaining backoff.
            devices.program.order(do="offline")
            gateway.start()
            if chance.random() < 0.9:
                wait_for(lambda: gateway.is_ready() and answers.last_accepted > moment,
                         "the first 200 after a kill")
                pauses.append(answers.last_accepted - moment)
        gateway.wait_ready()
        for provider in providers:
            provider.stop()
        for provider in providers:
            provider.join(30)
        devices.wait_up(everyone)
        receipt.last = time.monotonic()
        wait_for(lambda: answers.accepted.keys() <= receipt.counts.keys()
                 or time.monotonic() - receipt.last > QUIET_SECONDS, "the last delivery", 900, 0.1)
        missing = answers.accepted.keys() - receipt.counts.keys()
        lost = [one for one in missing if not has_other_fate(gateway, one)]
        doubled = [one for one, count in receipt.counts.items() if count > 1]
        for one in (*lost[:5], *doubled[:5]):
            print(f"  {one} of device {answers.accepted.get(one)}: {gateway.command('log', one, '--json')}")
        check_log(gateway, list(answers.accepted)[-200:])
    finally:
        devices.program.end()
        gateway.program.end()
    if any(reason != "no reason" and "Unavailable" not in reason and "Internal" not in reason
           for reason in answers.refused):
        raise Trouble(f"pushes were refused: {answers.refused}")
    return {"kills": killed, "amidStart": early, "accepted": len(answers.accepted),
            "received": len(receipt.counts), "stored": receipt.stored,
            "unanswered": answers.unanswered, "lost": len(lost), "doubled": len(doubled),
            "longestPause": round(max(pauses, default=0), 2)}


def states(gateway, identifier):
    lines = gateway.command("log", identifier, "--json").splitlines()
    return [json.loads(line)["state"] for line in lines]


def has_other_fate(gateway, identifier):
    return any(state.startswith(FATES) for state in states(gateway, identifier))


def check_log(gateway, identifiers):
    """Checks that the log reports every received push as delivered."""
    for identifier in identifiers[::20]:
        known = states(gateway, identifier)
        if not any(state.startswith("Delivered") for state in known):
            raise Trouble(f"{identifier} was received, but the log has {known}")


def line(result):
    return (f"{result['kills']} SIGKILLs of the gateway under load: {result['accepted']} pushes accepted, "
            f"{result['lost']} lost, {result['doubled']} delivered twice, longest pause "
            f"{result['longestPause']} s")
