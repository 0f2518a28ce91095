"""Measures devices that all enroll and reconnect simultaneously while a provider sends, by parsing the output of
`Benchmarks/storm`."""
import json
import pathlib
import subprocess

from .processes import Trouble

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "storm"
PYTHON = PROGRAM.parents[1] / ".build/python-test/bin/python3"  # has the packages that `make test` needs


def measure(belfry, folder, devices, seed):
    done = subprocess.run([PYTHON if PYTHON.exists() else "python3", PROGRAM, "--devices", str(devices), "--belfry", belfry],
                          capture_output=True, text=True)
    phases = {}
    for one in done.stdout.splitlines():
        phase = json.loads(one)
        phases[phase["phase"]] = phase
    if done.returncode or len(phases) != 3:
        raise Trouble(f"Benchmarks/storm exited with {done.returncode}: {done.stderr[-1_000:]}")
    return {"devices": devices, **phases}


def line(result):
    calm, enroll, storm = result["calm"], result["enroll"], result["storm"]
    return (f"{result['devices']} devices enroll in {enroll['seconds']} s ({enroll['gatewayCPU']} s of the gateway's processor "
            f"time) and reconnect all at once in {storm['seconds']} s ({storm['gatewayCPU']} s): providers' p99 "
            f"during these phases {enroll['p99']} and {storm['p99']} ms (baseline: {calm['p99']} ms), slowest {storm['slowest']} ms")
