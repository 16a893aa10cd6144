"""Children are started, awaited, restarted and stopped; none is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app_server.supervisor.child import Child, ChildFailedError, OutputLine, RestartPolicy
from app_server.supervisor.probes import answers_http
from app_server.supervisor.supervisor import Supervisor
from servers.lectern import ROOT
from servers.ports import free_port
from servers.processes import processes_in, wait_until

QUICK = RestartPolicy(first_delay_seconds=0.01, longest_delay_seconds=0.02, failures=3)
DEADLINE_SECONDS = 20

# Serves until it is told to stop, and has a child of its own that wouldn't.
PARENT_OF_A_STUBBORN_CHILD = """
import signal, subprocess, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", stubborn])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
HTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""


def python_child(directory: Path, script: str, *arguments: str, **more: object) -> Child:
    """Its working directory tells its processes from others."""
    enter = f"import os; os.chdir({str(directory)!r})\n"
    options: dict[str, object] = {
        "name": "child",
        "command": (sys.executable, "-c", enter + script, *arguments),
        "environment": {"PATH": os.environ["PATH"]},
        "probe": always,
        "parse_line": lambda text: OutputLine("info", text),
        "ready_seconds": DEADLINE_SECONDS,
        "stop_seconds": 5.0,
    }
    return Child(**(options | more))  # type: ignore[arg-type]


def serving_child(directory: Path, port: int, **more: object) -> Child:
    probe = answers_http("127.0.0.1", port, "/")
    return python_child(directory, PARENT_OF_A_STUBBORN_CHILD, str(port), probe=probe, **more)


async def always() -> bool:
    return True


async def never() -> bool:
    return False


async def eventually(condition, what: str) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not condition():
            await asyncio.sleep(0.02)
    assert condition(), what


async def test_a_clean_stop_leaves_no_process_not_even_a_childs_child(tmp_path):
    async with Supervisor(children=[serving_child(tmp_path, free_port())]) as supervisor:
        await supervisor.wait_ready()
        await eventually(lambda: len(processes_in(tmp_path)) == 2, "both run")
    assert processes_in(tmp_path) == {}


async def test_a_child_that_ignores_the_request_to_stop_is_killed(tmp_path):
    script = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); open('up', 'w'); time.sleep(600)"
    )
    child = python_child(tmp_path, script, stop_seconds=0.1)
    async with Supervisor(children=[child]):
        await eventually((tmp_path / "up").exists, "the child runs")
    assert processes_in(tmp_path) == {}


async def test_children_stop_in_the_reverse_order_of_their_start(tmp_path):
    script = (
        "import signal, sys, time\n"
        "def stop(*_):\n"
        "    open('stopped', 'a').write(sys.argv[1]); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, stop); open('up' + sys.argv[1], 'w'); time.sleep(600)"
    )
    children = [python_child(tmp_path, script, name, name=name) for name in "abc"]
    async with Supervisor(children=children):
        await eventually(lambda: all((tmp_path / f"up{name}").exists() for name in "abc"), "all run")
    assert (tmp_path / "stopped").read_text() == "cba"


async def test_a_killed_child_is_started_again_and_is_ready_again(tmp_path):
    port = free_port()
    async with Supervisor(children=[serving_child(tmp_path, port)]) as supervisor:
        await supervisor.wait_ready()
        await eventually(lambda: len(processes_in(tmp_path)) == 2, "both run")
        before = set(processes_in(tmp_path))
        os.kill(min(before), signal.SIGKILL)
        await eventually(lambda: not before & set(processes_in(tmp_path)), "the first ones are gone")
        await eventually(lambda: len(processes_in(tmp_path)) == 2, "new ones run")
        await supervisor.wait_ready()
        assert await answers_http("127.0.0.1", port, "/")()
    assert processes_in(tmp_path) == {}


async def test_a_child_that_keeps_dying_is_given_up_with_its_last_words(tmp_path):
    script = "open('starts', 'a').write('x'); import sys; sys.exit('the disk is full')"
    async with Supervisor(children=[python_child(tmp_path, script, probe=never)], policy=QUICK) as supervisor:
        with pytest.raises(ChildFailedError) as caught:
            await asyncio.wait_for(supervisor.wait_ready(), DEADLINE_SECONDS)
        with pytest.raises(ChildFailedError):
            await supervisor.wait_failure()
    assert "child failed 3 times in a row" in caught.value.message
    assert "exit code 1" in caught.value.message
    assert "the disk is full" in caught.value.message
    assert (tmp_path / "starts").read_text() == "xxx"


async def test_a_child_that_never_serves_is_given_up_with_the_variable_that_sets_the_wait(tmp_path):
    child = python_child(
        tmp_path, "import time; time.sleep(600)", probe=never, ready_seconds=0.1, patience="OBJSTORE_WAIT_SEC"
    )
    async with Supervisor(children=[child], policy=QUICK) as supervisor:
        with pytest.raises(ChildFailedError, match="OBJSTORE_WAIT_SEC"):
            await asyncio.wait_for(supervisor.wait_ready(), DEADLINE_SECONDS)
    assert processes_in(tmp_path) == {}


async def test_a_child_that_waits_for_others_is_not_started_anew(tmp_path):
    """As long as it says so, and no longer."""
    looks, is_there = 0, False

    async def ready() -> bool:
        return is_there

    async def waits() -> bool:
        nonlocal looks, is_there
        looks += (tmp_path / "starts").exists()
        is_there = looks == 5
        return True

    script = "open('starts', 'a').write('x')\nimport time; time.sleep(600)"
    child = python_child(tmp_path, script, probe=ready, ready_seconds=0.05, waits=waits)
    async with Supervisor(children=[child], policy=QUICK) as supervisor:
        await asyncio.wait_for(supervisor.wait_ready(), DEADLINE_SECONDS)
    assert (tmp_path / "starts").read_text() == "x"


async def test_one_childs_failure_ends_the_wait_for_another(tmp_path):
    children = [
        python_child(tmp_path, "import time; time.sleep(600)", name="slow", probe=never),
        python_child(tmp_path, "raise SystemExit(3)", name="broken", probe=never),
    ]
    async with Supervisor(children=children, policy=QUICK) as supervisor:
        with pytest.raises(ChildFailedError, match="broken"):
            await asyncio.wait_for(supervisor.wait_ready("slow"), DEADLINE_SECONDS)


def test_children_die_with_a_supervisor_that_is_killed(tmp_path):
    script = f"""
import asyncio
from pathlib import Path
from app_server.supervisor.supervisor import Supervisor
from test_supervisor import serving_child

async def main():
    async with Supervisor(children=[serving_child(Path({str(tmp_path)!r}), {free_port()})]) as supervisor:
        await supervisor.wait_ready()
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""
    paths = [ROOT, ROOT / "gen", ROOT / "tests", Path(__file__).parent]
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, paths))},
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout
        assert b"ready\n" in iter(process.stdout.readline, b"")
        served_by = min(processes_in(tmp_path))
        process.kill()
    wait_until(lambda: served_by not in processes_in(tmp_path), seconds=5, what="the child is dead")
    # Its own child is the child's affair; here it is ended by hand.
    for pid in processes_in(tmp_path):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not processes_in(tmp_path), seconds=5, what="nothing is left")


@pytest.mark.parametrize(
    ("failures", "delay"), [(1, 0.2), (2, 0.4), (3, 0.8), (5, 3.2), (6, None), (7, None)]
)
def test_the_wait_doubles_until_it_is_given_up(failures, delay):
    assert RestartPolicy().delay_seconds(failures) == delay


def test_the_wait_has_a_limit():
    assert RestartPolicy(failures=99).delay_seconds(50) == 5.0
