"""Writes the rows of figures in docs/reliability.md, between two markers."""
import os
import platform
import re

START, END = "<!-- figures -->", "<!-- end of figures -->"


def machine():
    cpu = "an unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    return f"{os.cpu_count()} cores of {cpu}, Linux {platform.release().split('-')[0]}"


def write_row(page, name, text, command, date):
    """Replaces the figure's row, or appends it."""
    content = page.read_text()
    before, rest = content.split(START)
    table, after = rest.split(END)
    row = f"| `{command}` | {text} | {date}, {machine()} |"
    rows = table.strip("\n").split("\n")
    own = re.compile(rf"\| `scripts/reliability {re.escape(name)}\b")
    kept = [one for one in rows if not own.match(one)]
    place = next((index for index, one in enumerate(rows) if own.match(one)), len(kept))
    kept.insert(place, row)
    page.write_text(f"{before}{START}\n" + "\n".join(kept) + f"\n{END}{after}")
