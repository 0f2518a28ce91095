"""The record of the faults that were played, and its summary for each kind."""
import json

from faults import ALL

COLUMNS = ("kind", "faults", "accepted", "lost", "stranded", "doubled", "unknown", "gap", "store", "beyond", "devices",
           "slowest", "failed")


class Record:
    """A file with one JSON line for each fault. A later line about the same fault replaces an earlier one.

    The faults of another build of Belfry do not count."""

    def __init__(self, path, build):
        self.path, self.build, self.faults = path, build, {}
        if path.exists():
            for line in path.read_text().splitlines():
                fault = json.loads(line)
                if fault.get("build") == build:
                    self.faults[fault["fault"]] = fault

    def add(self, fault):
        fault["build"] = self.build
        self.faults[fault["fault"]] = fault
        with open(self.path, "a") as file:
            file.write(json.dumps(fault) + "\n")
            file.flush()

    def correct(self, arrived):
        """Records that pushes that were counted as lost have arrived during a later fault."""
        for fault in list(self.faults.values()):
            late = [one for one in fault["lost"] if one["unique"] in arrived]
            if late:
                lost = [one for one in fault["lost"] if one["unique"] not in arrived]
                self.add({**fault, "lost": lost, "late": fault.get("late", []) + late})


def beyond(fault):
    """Returns how much longer than the store itself a gateway accepted nothing."""
    # Between two writes of the probe, 0.2 s pass even without a fault.
    store = fault["storeGap"] if fault["storeGap"] > 1 else 0
    return max(0, fault["gap"] - store)


def failures(fault):
    """Returns the requirements that the fault violated."""
    found = [word for word in ("lost", "stranded", "doubled", "misdelivered", "trouble", "late") if fault.get(word)]
    if beyond(fault) > ALL[fault["kind"]][3]:
        found.append("gap")
    return found


def line(fault):
    """Returns the result of a fault as a line of text."""
    words = [f"{fault['fault']:3} {fault['kind']} of {fault['target']} for {fault['seconds']} s:"]
    words.append(f"accepted {fault['accepted']}, lost {len(fault['lost'])}, stranded {len(fault['stranded'])}, "
                 f"doubled {len(fault['doubled'])}, unknown {fault['unknown']}, gap {fault['gap']} s, "
                 f"store {fault['storeGap']} s, devices {fault['deviceGap']} s, slowest 200 {fault['slowest']} s")
    if bad := failures(fault):
        words.append(f"FAILED: {', '.join(bad)}")
    return " ".join(words)


def table(faults):
    """Returns a Markdown table with one row for each kind; times are the longest of all faults, in seconds."""
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    for kind in ALL:
        played = [one for one in faults if one["kind"] == kind]
        if played:
            rows.append(row(kind, played))
    if faults:
        rows.append(row("all", faults))
    return "\n".join("| " + " | ".join(map(str, one)) + " |" for one in rows)


def row(kind, played):
    def longest(name):
        return max(one[name] for one in played)
    def total(name):
        return sum(len(one[name]) for one in played)
    return [kind, len(played), sum(one["accepted"] for one in played), total("lost"), total("stranded"),
            total("doubled"), sum(one["unknown"] for one in played), longest("gap"),
            longest("storeGap"), round(max(map(beyond, played)), 2), longest("deviceGap"), longest("slowest"),
            sum(bool(failures(one)) for one in played)]
