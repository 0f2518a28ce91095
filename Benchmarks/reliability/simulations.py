"""Simulated worlds of `make simulate`: the gateway, the agent, campaigns, and stores on a disk that loses power."""
import pathlib
import re
import subprocess

from .processes import Trouble

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / ".build/simulate/release/Simulate"
CUTS_PER_WORLD = 6
# The number of short worlds for each full one. A full world has minutes of faults; a short world has only seconds, but
# more faults.
SHORT_WORLDS_PER_FULL_ONE = 49


def play(model, worlds, seed, length="full"):
    if not PROGRAM.exists():
        raise Trouble("Simulate is missing: build it with 'make simulate WORLDS=1'")
    done = subprocess.run([PROGRAM, "--model", model, "--length", length, "--seed", str(seed), "--worlds", str(worlds)],
                          capture_output=True, text=True)
    found = re.search(rf"^{model}: (\d+) worlds from seed (\d+), (\d+) events", done.stdout, re.M)
    if not found:
        raise Trouble(f"Simulate exited with {done.returncode}: {done.stdout[-2_000:]}")
    if done.returncode:
        print(done.stdout[-4_000:])
    return {"worlds": int(found[1]), "events": int(found[3]), "broken": int(done.returncode != 0)}


class PowerCuts:
    @staticmethod
    def measure(belfry, folder, cuts, seed):
        played = play("disk", max(1, cuts // CUTS_PER_WORLD), seed)
        return {"cuts": played["events"], "worlds": played["worlds"], "broken": played["broken"]}

    @staticmethod
    def line(result):
        return (f"{result['cuts']} power cuts in {result['worlds']} worlds of the stores on a disk that tears unsynced "
                f"writes: {result['broken']} worlds with a lost, invented or damaged write")


class Worlds:
    MODELS = ("gateway", "agent", "campaign")

    @staticmethod
    def measure(belfry, folder, worlds, seed):
        share = worlds // len(Worlds.MODELS)
        full = max(1, share // (SHORT_WORLDS_PER_FULL_ONE + 1))
        counts = {"full": full, "short": max(1, share - full)}
        result = {"full": len(Worlds.MODELS) * full, "broken": 0}
        for model in Worlds.MODELS:
            played = [play(model, count, seed, length) for length, count in counts.items()]
            result[f"{model}Worlds"] = sum(each["worlds"] for each in played)
            result[f"{model}Events"] = sum(each["events"] for each in played)
            result["broken"] += sum(each["broken"] for each in played)
        return result

    @staticmethod
    def line(result):
        return (f"{result['gatewayWorlds']} simulated worlds of the gateway ({result['gatewayEvents']} events), "
                f"{result['agentWorlds']} of the agent ({result['agentEvents']} events), "
                f"{result['campaignWorlds']} of campaigns ({result['campaignEvents']} events), {result['full']} of them full-"
                f"length: {result['broken']} with a broken guarantee")
