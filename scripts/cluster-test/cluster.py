"""The whole test bed: the engines, the gateways, the devices and the providers; and one fault played in it."""
import time

from balancer import Balancer
from devices import Devices, Flapping
from engines import Bus, Store
from faults import Injection
from gateways import TOPIC, Gateway, create_cluster, provider_token
from ledger import Ledger, longest_gap
from network import create_bridge
from probe import Probe
from providers import Provider
from waiting import Trouble, wait_for

AWAY_SHARE = 0.1  # of the devices is offline during a fault
CALM_SECONDS = 3  # of load before each fault
RECOVERY_SECONDS = 180  # until every machine works again
ARRIVAL_SECONDS = 45  # until every accepted push has arrived; a node checks its claims every 10 seconds
STRANDED_SECONDS = 20  # until the other pushes have arrived, after their devices have connected again
TOKEN_SECONDS = 1_200


class Cluster:
    """Three gateways, three database servers and a NATS server, with their load."""

    def __init__(self, belfry, folder, options, chance):
        self.ledger, self.chance, self.writes, self.token_time = Ledger(), chance, [], 0.0
        create_bridge()
        self.store = Store(folder)
        self.bus = Bus("bus", 31, folder)
        self.bus.boot()
        self.store.start()
        create_cluster(belfry, folder, self.store.url)
        self.gateways = [Gateway(f"node{number}", 10 + number, folder, belfry, self.store.url, self.bus.url)
                         for number in (1, 2, 3)]
        for gateway in self.gateways:
            gateway.boot()
            ready = gateway.wait_ready()
        self.gateways[0].command("topic", "add", TOPIC, "--keep", "all", "--team", ready["teamID"])
        self.balancer = Balancer(self.gateways)
        self.balancer.start()
        self.devices = Devices(belfry, folder, options.devices, ready["caFile"], self.ledger)
        self.numbers = self.devices.wait_registered()
        self.flapping = Flapping(self.devices, options.flaps, chance.random())
        self.providers = [Provider(gateway, self.devices.tokens, ready["caFile"], self.ledger,
                                   options.rate / len(self.gateways), chance.random()) for gateway in self.gateways]
        for thread in (*(Probe(server, self.writes) for server in self.store.servers), self.flapping, *self.providers):
            thread.start()

    def play(self, fault):
        """Plays one fault, and returns its record."""
        self._renew_token()
        self.ledger.begin()
        self.writes.clear()
        self.devices.reasons.clear()
        for gateway in self.gateways:
            gateway.exits = []
        for provider in self.providers:
            provider.is_sending = True
        self.flapping.begin(set(self.chance.sample(self.numbers, int(AWAY_SHARE * len(self.numbers)))))
        wait_for(lambda: all(self._accepts(gateway, self.ledger.started) for gateway in self.gateways),
                 "the first 200 of each gateway", RECOVERY_SECONDS)
        self._pass(CALM_SECONDS)
        wait_for(self.store.is_complete, "the store", RECOVERY_SECONDS, 0.1)
        injection = Injection(fault, self.gateways, self.store, self.bus)
        start, clock = time.monotonic(), time.time()
        injection.begin()
        self._pass(fault.seconds)
        injection.end()
        healed = time.monotonic()
        trouble = self._recover(healed)
        end = time.monotonic()
        for provider in self.providers:
            provider.is_sending = False
        arrival, stranded = self._drain()
        return {
            "fault": fault.index, "kind": fault.kind, "target": injection.machine.name, "seconds": fault.seconds,
            "partial": fault.is_partial if fault.kind == "store-cut-off" else None,
            "began": round(clock, 3), "healed": round(clock + healed - start, 3), "trouble": trouble,
            "recovery": round(end - healed, 1), "arrival": arrival,
            "stranded": [self._details(one, push) for one, push in stranded.items()],
            **self._counts(injection, start, end)}

    def _counts(self, injection, start, end):
        ledger = self.ledger
        missing = ledger.missing()
        # A push with expiration 0 can be lost. These devices were connected from a second before to a second after it.
        missed = [{"unique": unique, "device": device, "gateway": gateway, "second": round(sent - start, 1),
                   "took": round(answered - sent, 2)}
                  for unique, (device, gateway, sent, answered) in ledger.missing_once().items()
                  if self.devices.was_up(device, sent - 1, answered + 1)]
        gaps = {one.name: round(ledger.gap(one.name, start, end), 2) for one in self.gateways}
        return {
            "accepted": len(ledger.current), "once": len(ledger.once),
            "lost": [self._details(one, push) for one, push in missing.items()],
            "doubled": ledger.doubled, "misdelivered": ledger.misdelivered(),
            "onceMissed": len(missed), "onceMissedExamples": missed[:20],
            "unknown": ledger.unknown, "statuses": dict(ledger.statuses), "slowest": round(ledger.slowest, 2),
            "gap": max(gaps[one.name] for one in injection.survivors), "gaps": gaps,
            "storeGap": round(longest_gap(list(self.writes), start, end), 2),
            "deviceGap": round(ledger.receipt_gap(start, end), 2),
            "shown": len(ledger.receipts), "exits": {one.name: one.exits for one in self.gateways if one.exits},
            "linkLosses": dict(self.devices.reasons),
            "perSecond": {one.name: ledger.per_second(one.name) for one in self.gateways}}

    @staticmethod
    def _details(unique, push):
        device, gateway, moment = push
        return {"unique": unique, "device": device, "gateway": gateway, "time": round(moment, 3)}

    def _pass(self, seconds):
        """Lets time pass, during which the service manager restarts nodes that have exited."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(min(0.1, max(0, end - time.monotonic())))
            self._manage()

    def _manage(self):
        for gateway in self.gateways:
            gateway.restart_if_ended()

    def _accepts(self, gateway, since):
        return gateway.is_ready() and self.ledger.last_accepted(gateway.name) > since

    def _recover(self, healed):
        """Waits until each machine works again; returns what did not, if anything."""
        def is_recovered():
            self._manage()
            return all(self._accepts(gateway, healed) for gateway in self.gateways) and self.store.is_complete()
        try:
            wait_for(is_recovered, "the recovery", RECOVERY_SECONDS, 0.2)
        except Trouble:
            silent = [one.name for one in self.gateways if not self._accepts(one, healed)]
            for gateway in self.gateways:
                if gateway.name in silent:
                    gateway.kill()
                    gateway.boot()
            return {"silent": silent, "store": [] if self.store.is_complete() else self.store.views()}
        return None

    def _drain(self):
        """Connects every device, and waits until every accepted push has arrived.

        Returns how long that took, and the pushes that arrived only after their connected devices connected again."""
        start = time.monotonic()
        self.flapping.end()
        self._wait_for_arrivals(ARRIVAL_SECONDS)
        arrival, stranded = round(time.monotonic() - start, 1), self.ledger.missing()
        if stranded:
            print(f"  {len(stranded)} accepted pushes did not arrive, for example "
                  f"{next(iter(stranded.items()))}: their devices connect again", flush=True)
            self._reconnect({push[0] for push in stranded.values()})
            self._wait_for_arrivals(STRANDED_SECONDS)
        self._pass(1)  # a second copy of a notification might follow
        missing = self.ledger.missing()
        return arrival, {one: push for one, push in stranded.items() if one not in missing}

    def _wait_for_arrivals(self, seconds):
        start = time.monotonic()
        nudge = start + 5
        while time.monotonic() < start + seconds:
            self._manage()
            if all(provider.is_idle() for provider in self.providers) and not self.ledger.missing():
                break
            if time.monotonic() > nudge:
                self._reconnect([device for device in self.numbers if device not in self.devices.up])
                nudge += 10
            time.sleep(0.1)

    def _reconnect(self, devices):
        """Disconnects devices, and connects them without the wait before their next attempts."""
        self.devices.order("offline", devices)
        self.devices.order("online", devices)

    def _renew_token(self):
        if time.monotonic() - self.token_time > TOKEN_SECONDS or not self.token_time:
            token = provider_token(self.gateways)
            for provider in self.providers:
                provider.jwt = token
            self.token_time = time.monotonic()
