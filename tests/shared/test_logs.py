"""Log lines: their format, and that no secret stands in them."""

import asyncio
import gc
import json
import logging

import pytest
import structlog
from aiohttp import ClientConnectionResetError

from shared.configuration.settings import LogSettings
from shared.logs import SecretMask, configure_logging

SECRET = "hunter2-hunter2"


@pytest.fixture(autouse=True)
def restored_logging():
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()


@pytest.mark.parametrize("log_format", ["json", "pretty"])
def test_a_secret_is_masked_wherever_it_stands(capsys, log_format):
    configure_logging(LogSettings(log_format, "info"), secrets=[SECRET])
    log = structlog.stdlib.get_logger()
    log.info(" ".join(["in the event", SECRET]), field=SECRET, nested={"list": [f"x{SECRET}y"]})
    logging.getLogger("library").warning("in an argument %s", SECRET)
    try:
        raise ValueError(f"in an error {SECRET}")
    except ValueError:
        log.exception("failed")
    said = capsys.readouterr().err
    assert "in an error" in said
    assert SECRET not in said


def test_json_lines_have_level_time_and_process(capsys):
    configure_logging(LogSettings("json", "info"), secrets=[], process="worker")
    structlog.stdlib.get_logger().info("started", port=8081)
    logging.getLogger("library").error("broke")
    first, second = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (first["event"], first["level"], first["process"], first["port"]) == (
        "started",
        "info",
        "worker",
        8081,
    )
    assert (second["event"], second["level"]) == ("broke", "error")
    assert first["timestamp"].endswith("Z")


def test_lines_below_the_level_are_left_out(capsys):
    configure_logging(LogSettings("json", "warning"), secrets=[])
    structlog.stdlib.get_logger().info("quiet")
    logging.getLogger("library").info("quiet")
    assert capsys.readouterr().err == ""


def test_of_two_secrets_one_in_the_other_both_are_masked():
    mask = SecretMask(["secret", "secret-and-more"])
    assert mask.mask_text("a secret-and-more b secret") == "a [secret] b [secret]"


async def test_a_request_whose_connection_was_closed_under_it_is_told_once_by_who_made_it(capsys):
    configure_logging(LogSettings("json", "info"), secrets=[])

    async def fail(name, error):
        async def request():
            raise error

        request.__qualname__ = name
        task = asyncio.create_task(request())
        await asyncio.wait({task})

    closed = ClientConnectionResetError("Cannot write to closing transport")
    await fail("ClientRequest.write_bytes", closed)
    await fail("ClientRequest.write_bytes", ValueError("a fault"))
    await fail("another", closed)
    gc.collect()
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert ["ValueError" in line["exception"] for line in told] == [True, False]
