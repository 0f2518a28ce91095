"""Runs this machine at half of its maximum load for a long time, and measures the slope of memory use, the descriptors,
and the p99 latency."""
import random
import sys
import time

from .gateway_kills import Receipt
from .processes import Devices, Gateway, Trouble, cpu_seconds, descriptors, resident_bytes, wait_for
from .provider import Answers, Provider, percentile

TOPIC = "com.example.reliability"
DEVICES, PROVIDERS = 100, 4
PROBE_SECONDS = 10  # in which the providers send as fast as they can
SAMPLE_SECONDS = 5
SAMPLES_A_LINE = 12
ROUND_SECONDS = 20  # after which other devices are offline
AWAY = 10


def measure(belfry, folder, minutes, seed):
    chance = random.Random(seed)
    gateway = Gateway(belfry, folder)
    gateway.command("topic", "add", "--team", gateway.ready["teamID"], "--keep", "all", TOPIC)
    receipt, answers = Receipt(), Answers()
    devices = Devices(gateway, "devices", DEVICES, TOPIC, on_received=receipt.note, nice=0)
    tokens = dict(devices.wait_registered())
    jwt = gateway.jwt()
    full = rate_of(gateway, jwt, tokens, answers, 1e9, PROBE_SECONDS)
    providers = [Provider(gateway, jwt, TOPIC, tokens, answers, full / 2 / PROVIDERS)
                 for _ in range(PROVIDERS)]
    for provider in providers:
        provider.start()
    samples, latencies, away = [], [], set()
    start, end = time.monotonic(), time.monotonic() + minutes * 60
    cpu = cpu_seconds(gateway.pid)
    next_round = start
    while time.monotonic() < end:
        time.sleep(SAMPLE_SECONDS)
        if time.monotonic() > next_round:
            next_round += ROUND_SECONDS
            for device in away:
                devices.program.order(do="online", device=device)
            away = set(chance.sample(sorted(tokens), AWAY))
            for device in away:
                devices.program.order(do="offline", device=device)
        samples.append((time.monotonic() - start, resident_bytes(gateway.pid), descriptors(gateway.pid)))
        with answers.lock:
            latencies.append(percentile(answers.milliseconds, 0.99))
            answers.milliseconds.clear()
        if len(samples) % SAMPLES_A_LINE == 0:
            passed, resident, open_files = samples[-1]
            print(f"soak: after {passed / 60:.0f} of {minutes:g} minutes: {resident / 1e6:.1f} MB, "
                  f"{open_files} descriptors, p99 {latencies[-1]:.1f} ms", file=sys.stderr, flush=True)
    seconds = time.monotonic() - start
    cpu = cpu_seconds(gateway.pid) - cpu
    for provider in providers:
        provider.stop()
    for provider in providers:
        provider.join(30)
    devices.wait_up(set(tokens))
    receipt.last = time.monotonic()
    wait_for(lambda: answers.accepted.keys() <= receipt.counts.keys()
             or time.monotonic() - receipt.last > 30, "the last delivery", 300, 0.1)
    lost = answers.accepted.keys() - receipt.counts.keys()
    doubled = [one for one, count in receipt.counts.items() if count > 1]
    devices.program.end()
    gateway.program.end()
    if answers.refused:
        raise Trouble(f"pushes were refused: {answers.refused}")
    return {"minutes": minutes, "rate": round(full / 2), "accepted": len(answers.accepted), "lost": len(lost),
            "doubled": len(doubled), "stored": receipt.stored,
            "p99": round(sorted(latencies)[len(latencies) // 2], 1), "worstP99": round(max(latencies), 1),
            "megabytes": [round(samples[index][1] / 1e6, 1) for index in (0, -1)],
            "slopeMegabytesAnHour": round(slope(samples[len(samples) // 3:]) * 3_600 / 1e6, 2),
            "descriptors": [samples[index][2] for index in (0, -1)], "cpuShare": round(cpu / seconds, 2)}


def rate_of(gateway, jwt, tokens, answers, rate, seconds):
    """Returns the number of pushes accepted per second from providers that send as fast as they can."""
    providers = [Provider(gateway, jwt, TOPIC, tokens, answers, rate, under_way=100) for _ in range(PROVIDERS)]
    for provider in providers:
        provider.start()
    wait_for(lambda: len(answers.accepted) > 100, "the first pushes")
    before, start = len(answers.accepted), time.monotonic()
    time.sleep(seconds)
    found = (len(answers.accepted) - before) / (time.monotonic() - start)
    for provider in providers:
        provider.stop()
    for provider in providers:
        provider.join(30)
    answers.milliseconds.clear()
    return found


def slope(samples):
    """Returns the slope in bytes per second, by least squares; growth in the first third counts as warm-up."""
    middle = sum(one[0] for one in samples) / len(samples)
    mean = sum(one[1] for one in samples) / len(samples)
    over = sum((one[0] - middle) * (one[1] - mean) for one in samples)
    return over / max(1e-9, sum((one[0] - middle) ** 2 for one in samples))


def line(result):
    return (f"{result['minutes']} minutes at {result['rate']} pushes per second, half of the maximum of these "
            f"providers: {result['accepted']} accepted, {result['lost']} lost, {result['doubled']} delivered twice; p99 "
            f"{result['p99']} ms (median of 5 s intervals; worst {result['worstP99']} ms); memory "
            f"{result['megabytes'][0]} to {result['megabytes'][1]} MB, slope {result['slopeMegabytesAnHour']} MB per hour; descriptors "
            f"{result['descriptors'][0]} to {result['descriptors'][1]}; {result['cpuShare']} of a processor")
