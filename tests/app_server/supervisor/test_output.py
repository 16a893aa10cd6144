"""Children's lines become lines of our logs."""

import pytest

from app_server.supervisor.child import OutputLine
from app_server.supervisor.output import broker_line, object_store_line, worker_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[12] [INF] Server is ready", OutputLine("debug", "Server is ready")),
        ("[12] [ERR] disk full", OutputLine("error", "disk full")),
        ("[12] [INF] ", OutputLine("debug", "")),
        ("[12] [WRN] Plaintext passwords detected", OutputLine("debug", "Plaintext passwords detected")),
        ("nats-server: bad flag", OutputLine("warning", "nats-server: bad flag")),
    ],
)  # fmt: skip
def test_the_broker(text, line):
    assert broker_line(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"level":"error","msg":"no space","object":"a/b"}', OutputLine("error", "a/b no space")),
        ('{"level":"notice","msg":"Starting"}', OutputLine("debug", "Starting")),
        (
            '{"level":"error","msg":"Dir.Remove not empty","object":"uploads"}',
            OutputLine("debug", "uploads Dir.Remove not empty"),
        ),
        ("Error: unknown flag", OutputLine("warning", "Error: unknown flag")),
    ],
)
def test_the_object_store(text, line):
    assert object_store_line(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            '{"event":"started","level":"info","timestamp":"t","process":"worker","port":1}',
            OutputLine("info", "started", {"port": 1}),
        ),
        ('{"event":"broke","level":"critical"}', OutputLine("error", "broke")),
        ('{"event":"odd","level":"close"}', OutputLine("info", "odd")),
        ("Traceback (most recent call last):", OutputLine("warning", "Traceback (most recent call last):")),
        ("[1, 2]", OutputLine("warning", "[1, 2]")),
    ],
)
def test_the_worker(text, line):
    assert worker_line(text) == line
