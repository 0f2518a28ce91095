"""Runs the vectors for deliveries to a device, their timing, and the log."""
import json
import uuid

from connection_cases import headers
from programs import Failure
from request_cases import check, connect, expect

APP = "com.example.app"
QUIET = 1.5  # seconds in which nothing may arrive


class Device:
    """A device that belongs to this case and therefore receives no other case's pushes."""

    def __init__(self, world, name, *topics):
        self.world, self.folder, self.topics = world, name, topics
        self.program = world.gateway.devices(world.folder, name, *topics)
        self.tokens = {topic: self.program.event(
            "registered", lambda line: line["topic"] == topic)["token"] for topic in topics}

    def push(self, name, topic=APP, expiration=None, priority=None, background=False):
        """Sends a push called `name`; its payload identifies it."""
        changes = {":path": f"/3/device/{self.tokens[topic]}", "apns-topic": topic,
                   "apns-id": str(uuid.uuid4())}
        if expiration is not None:
            changes["apns-expiration"] = expiration
        if priority is not None:
            changes["apns-priority"] = str(priority)
        document = {"aps": {"alert": name}, "name": name}
        if background:
            changes["apns-push-type"] = "background"
            changes["apns-priority"] = "5"
            document["aps"] = {"content-available": 1}
        gateway = self.world.gateway
        connection = connect(self.world, gateway)
        try:
            check(connection.request(
                headers(self.world, gateway, **changes), json.dumps(document).encode()),
                {"status": 200})
        finally:
            connection.close()

    def received(self, wanted, exactly=True):
        """Returns the names of the received pushes: `wanted` of them and, with `exactly`, no more."""
        import base64
        names = []
        while True:
            timeout = 30 if len(names) < wanted else QUIET
            if len(names) >= wanted and not exactly:
                return names
            try:
                line = self.program.event("received", timeout=timeout)
            except Failure:
                return names
            names.append(json.loads(base64.b64decode(line["payload"]))["name"])

    def close(self):
        self.program.stop()


def with_device(case):
    def run(world, vector):
        topics = (APP, "com.example.other") if vector["id"] == "I07" else (APP,)
        device = Device(world, f"device-{vector['id']}", *topics)
        try:
            case(world, vector, device)
        finally:
            device.close()
    return run


def same(got, wanted):
    expect(got == wanted, f"received {got}, not {wanted}")


def restrict_power(world, device):
    """Restricts the device's power, and waits until the gateway knows it.

    The device's acknowledgment of a push follows the new state on the same link, so the gateway has handled the state
    when the log shows the acknowledgment.
    """
    device.program.tell(do="power", restricted=True)
    device.program.event("state", lambda line: line["powerRestricted"])
    device.push("first", priority=10)
    same(device.received(1, exactly=False), ["first"])
    for _ in range(200):
        if "Delivered to Device" in world.gateway.command("log", device.tokens[APP], "--json"):
            return
    expect(False, "the acknowledgment of a push is not in the log")


def expect_state(world, device, wanted):
    """Checks that the log contains this state; the vectors use a hyphen where Apple's page uses a dash."""
    printed = world.gateway.command("log", device.tokens[APP], "--json")
    states = [json.loads(line)["state"].replace("\u2013", "-") for line in printed.splitlines()]
    expect(wanted in states, f"the log contains {states}")


@with_device
def online(world, vector, device):
    for name in vector["request"]["push"]:
        device.push(name)
    wanted = vector["expect"]["delivered"]
    same(device.received(len(wanted)), wanted)


@with_device
def offline(world, vector, device):
    device.program.tell(do="offline")
    device.program.event("link", lambda line: line["state"] == "down"
                         and line.get("reason") != "enrolled")
    for push in vector["request"]["push"]:
        expiration = push.get("apns-expiration")
        if push.get("exp", "").startswith("+"):
            expiration = "${now" + push["exp"] + "}"
        device.push(push["id"], topic=push.get("topic", APP),
                    expiration=None if expiration is None else str(expiration))
    device.program.tell(do="online")
    wanted = vector["expect"].get("delivered", vector["expect"].get("delivered_any_order"))
    got = device.received(len(wanted))
    if "delivered_any_order" in vector["expect"]:
        got = sorted(got)
    same(got, wanted)


@with_device
def power(world, vector, device):
    restrict_power(world, device)
    for push in vector["request"]["push"]:
        device.push(push["id"], priority=push.get("priority"))
    same(device.received(0), vector["expect"]["before"])
    expect_state(world, device, vector["expect"]["log"])
    device.program.tell(do="power", restricted=False)
    same(device.received(len(vector["expect"]["after"])), vector["expect"]["after"])


@with_device
def background(world, vector, device):
    for number in range(10):
        device.push(str(number), background=True)
    got = device.received(0)
    expect(0 < len(got) <= 4, f"received {len(got)} of 10 background pushes at once: {got}")


@with_device
def disabled(world, vector, device):
    device.program.tell(do="disable", topic=APP)
    device.program.event("disabled")
    for push in vector["request"]["push"]:
        device.push(push["id"])
    same(device.received(0), [])
    expect_state(world, device, vector["expect"]["log"])


CASES = {"I01": online, "I02": offline, "I03": offline, "I06": offline, "I07": offline,
         "I09": power, "I12": background, "I15": disabled}


def run_delivery(world, vector):
    case = CASES.get(vector["id"])
    if not case:
        raise Failure("unknown case")
    return case(world, vector)
