"""What an instance's processes use, as the kernel counts it."""

import os
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # ended meanwhile
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        current = waiting.pop()
        found.append(current)
        waiting.extend(children.get(current, []))
    return found


def memory_mb(pid: int) -> dict[str, float]:
    """Proportional set size of the process and all below it, by name and pid."""
    used = {}
    for process in descendants(pid):
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
            name = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        kilobytes = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        label = b" ".join(part.rpartition(b"/")[2] for part in name[:4]).decode(errors="replace")[:50]
        used[f"{label} [{process}]"] = kilobytes / 1024
    return used


def own_memory_mb(pid: int) -> float:
    """What the process and all below it hold that no file backs and nobody shares."""
    kilobytes = 0
    for process in descendants(pid):
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        kilobytes += next(
            int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Anonymous:")
        )
    return kilobytes / 1024


def cpu_seconds(pid: int) -> float:
    """User and system time of one process, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND
