"""The fixtures themselves: what they give is real and separate."""

import socket
from pathlib import Path

from servers.processes import http_status


def test_the_broker_has_jetstream(nats_server):
    assert http_status(f"{nats_server.monitor_url}/healthz?js-enabled-only=true") == 200


def test_the_object_store_refuses_who_has_no_key(object_store):
    assert http_status(f"{object_store.endpoint}/{object_store.bucket}/") in {400, 403}


def test_a_free_port_is_given_once(free_port):
    ports = {free_port() for _ in range(50)}
    assert len(ports) == 50
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", ports.pop()))


def test_no_key_stands_on_a_command_line(object_store):
    assert object_store.secret_key not in Path(f"/proc/{object_store.pid}/cmdline").read_text()
