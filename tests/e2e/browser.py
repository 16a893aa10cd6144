"""A person at a browser: signs up, uploads, reads and listens, and can be asked what they see and hear."""

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

# In a frame, after the page has lit what sounds: what a person sees, however few frames there are.
SAMPLE_HEARD = """() => new Promise((resolve) => requestAnimationFrame(() => {
  const audio = document.querySelector("audio");
  const reader = document.querySelector("lectern-reader");
  const lit = (name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString()).join("");
  resolve({
    ms: audio.currentTime * 1000,
    word: lit("spoken-word"),
    sentence: lit("spoken-sentence"),
    state: reader.dataset.state,
    src: audio.currentSrc,
  });
}))"""
WATCH_WORDS = """() => {
  window.litWords = [];
  const look = () => {
    const word = [...(CSS.highlights.get("spoken-word") ?? [])].map((range) => range.toString()).join("");
    if (word && word !== window.litWords.at(-1)) window.litWords.push(word);
    requestAnimationFrame(look);
  };
  look();
}"""


@dataclass(frozen=True)
class Heard:
    """One moment: where the sound is (in its stream) and what is lit."""

    ms: float
    word: str
    sentence: str
    state: str
    src: str


class Person:
    def __init__(self, context: BrowserContext, base_url: str) -> None:
        self.context = context
        self.base_url = base_url
        self.page: Page = context.new_page()
        self.console: list[str] = []
        self.page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.console.append(f"pageerror: {error}"))

    def sign_up(self) -> None:
        self.page.goto(f"{self.base_url}/")
        self.page.get_by_role("link", name="Create an account").click()
        self.page.get_by_label("E-mail").fill(f"{secrets.token_hex(6)}@example.org")
        self.page.get_by_label("Password").fill("quite a long password")
        self.page.get_by_role("button", name="Create account").click()
        expect(self.page.get_by_role("heading", name="What would you like to hear?")).to_be_visible()

    def upload(self, *files: Path) -> None:
        self.page.locator("input[type=file]").set_input_files([str(file) for file in files])

    def open(self, title: str) -> str:
        """Opens a document from the library once it is ready; returns its id."""
        self.page.locator("a.card-link").filter(has_text=title).click(timeout=30_000)
        self.page.wait_for_url(re.compile("/read/"))
        expect(self.page.locator("[data-sentence]").first).to_be_visible()
        return self.page.url.rpartition("/")[2]

    def play(self) -> None:
        self.page.get_by_role("button", name="Play", exact=True).click()
        self.until(lambda heard: heard.state == "playing" and heard.ms > 0)

    def pause(self) -> None:
        self.page.get_by_role("button", name="Pause", exact=True).click()

    def hear(self) -> Heard:
        return Heard(**self.page.evaluate(SAMPLE_HEARD))

    def watch_words(self) -> None:
        """Notes every word that is lit on this page from now on, also those that a slow test never sees."""
        self.page.evaluate(WATCH_WORDS)

    def lit_words(self) -> list[str]:
        return list(self.page.evaluate("() => window.litWords"))

    def until(self, condition: Callable[[Heard], object], seconds: float = 30) -> Heard:
        deadline = time.monotonic() + seconds
        while True:
            heard = self.hear()
            if condition(heard):
                return heard
            assert time.monotonic() < deadline, f"{heard}\n{self.console[-10:]}"
            self.page.wait_for_timeout(20)

    def api(self, path: str) -> Any:
        answer = self.context.request.get(self.base_url + path)
        assert answer.ok, answer.status
        return answer.json()
