"""Kills the agent with SIGKILL under load, and counts the pushes that were answered with 200 but lost, and those that
were delivered twice."""
import collections
import random
import time

from .processes import Gateway, Limit, Program, Trouble, wait_for
from .provider import Answers, Provider

TOPIC = "com.example.reliability"
RATE = 40  # pushes per second
QUIET_SECONDS = 30


class Agent:
    """An agent that is killed and restarted, and its app in the foreground, which lists every push."""

    def __init__(self, gateway, folder):
        self.gateway, self.folder = gateway, folder
        self.socket = f"{folder}/agent.sock"
        self.received, self.presented = collections.Counter(), collections.Counter()
        self.last, self.token, self.links = time.monotonic(), None, 0
        self.start()
        wait_for(lambda: self.links, "the agent's link")
        self.app = Program(
            gateway.belfry,
            ["app", "run", TOPIC, "--authorize", "alert", "--register", "--socket", self.socket],
            folder, "app", handle=self.handle_app)
        wait_for(lambda: self.token, "the app's token")

    def start(self):
        ready = self.gateway.ready
        self.program = Program(
            self.gateway.belfry,
            ["agent", "--data", f"{self.folder}/agent", "--socket", self.socket, "--gateway",
             f"{ready['host']}:{self.gateway.ports['device']}", "--ca", ready["caFile"], "--enroll",
             ready["enrollmentCode"], "--presenter", "json", "--grant", "all"],
            self.folder, "agent", handle=self.handle_agent)

    def handle_agent(self, event):
        if event.get("event") == "presented":
            self.last = time.monotonic()
            self.presented[event["id"].lower()] += 1
        elif event.get("event") == "link" and event["state"] == "up":
            self.links += 1

    def handle_app(self, event):
        kind = event.get("event")
        if kind == "received":
            self.last = time.monotonic()
            self.received[event["apnsID"].lower()] += 1
        elif kind == "willPresent":
            self.app.order(do="present", id=event["id"], options=["list"])
        elif kind == "registered":
            self.token = event["token"]

    def has(self):
        return self.received.keys() | self.presented.keys()


def measure(belfry, folder, kills, seed):
    chance = random.Random(seed)
    gateway = Gateway(belfry, folder)
    gateway.command("topic", "add", "--team", gateway.ready["teamID"], "--keep", "all", TOPIC)
    agent = Agent(gateway, folder)
    answers, pauses, killed = Answers(), [], 0
    provider = Provider(gateway, gateway.jwt(), TOPIC, {1: agent.token}, answers, RATE)
    provider.start()
    try:
        while killed < kills and not Limit.is_over():
            if chance.random() < 0.1:
                time.sleep(chance.uniform(0, 0.3))  # during the start
            else:
                wait_for(lambda: agent.links, "the agent's link")
                time.sleep(chance.uniform(0.02, 0.8))
            killed, moment = killed + 1, time.monotonic()
            agent.program.kill()
            agent.links = 0
            agent.start()
            if chance.random() < 0.9:
                wait_for(lambda: agent.last > moment and agent.links, "the first notification after a kill")
                pauses.append(agent.last - moment)
        provider.stop()
        provider.join(30)
        agent.last = time.monotonic()
        wait_for(lambda: answers.accepted.keys() <= agent.has()
                 or time.monotonic() - agent.last > QUIET_SECONDS, "the last delivery", 900, 0.1)
        lost = answers.accepted.keys() - agent.has()
        doubled, again = ({one for one, count in counts.items() if count > 1}
                          for counts in (agent.received, agent.presented))
        both = agent.received.keys() & agent.presented.keys()
        for one in (*list(lost)[:5], *list(doubled)[:5], *list(again)[:5], *list(both)[:5]):
            print(f"  {one}: app {agent.received[one]}, screen {agent.presented[one]}, log "
                  f"{gateway.command('log', one, '--json')}")
    finally:
        agent.program.end()
        agent.app.end()
        gateway.program.end()
    if answers.refused:
        raise Trouble(f"pushes were refused: {answers.refused}")
    return {"kills": killed, "accepted": len(answers.accepted), "received": len(agent.received),
            "presented": len(agent.presented), "lost": len(lost), "doubled": len(doubled),
            "presentedAgain": len(again), "receivedAndPresented": len(both), "longestPause": round(max(pauses, default=0), 2)}


def line(result):
    return (f"{result['kills']} SIGKILLs of the agent under load: {result['accepted']} pushes accepted, "
            f"{result['lost']} lost, {result['doubled']} delivered twice to the app, {result['presentedAgain']} shown "
            f"again on the screen after the kill, {result['receivedAndPresented']} both delivered to the app and shown "
            f"on the screen, longest pause {result['longestPause']} s")
