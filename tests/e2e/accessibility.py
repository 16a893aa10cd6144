"""What axe has to say about a page."""

from typing import Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# A book's own headings may skip levels; what we add does not.
_OF_THE_BOOK: Final = {"heading-order"}

# What is fading in has too little contrast for a moment. What moves for ever (a spinner) is not waited for.
_SETTLED: Final = """() => Promise.allSettled(document.getAnimations()
    .filter((it) => it.effect.getComputedTiming().endTime !== Infinity).map((it) => it.finished))
    .then(() => {})"""


def violations(page: Page) -> list[str]:
    """Needs a browser that bypasses the page's Content-Security-Policy: axe is a script of ours."""
    page.evaluate(_SETTLED)
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html']}" for v in found if v["id"] not in _OF_THE_BOOK]
