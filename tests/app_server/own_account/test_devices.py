import pytest

from app_server.own_account.devices import device_of

WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0"


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        (f"{WINDOWS} Safari/537.36", "Chrome on Windows"),
        (f"{WINDOWS} Safari/537.36 Edg/130.0.0.0", "Edge on Windows"),
        (f"{WINDOWS} Safari/537.36 OPR/114.0", "Opera on Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18 Safari/605.1.15",
            "Safari on macOS",
        ),
        ("Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/130 Mobile", "Chrome on Android"),
        ("curl/8.5.0", "curl"),
        ("Python/3.11 aiohttp/3.11", "A Python program"),
        ("", ""),
        ("something else", ""),
    ],
)
def test_a_device_in_words(user_agent: str, device: str) -> None:
    assert device_of(user_agent) == device
