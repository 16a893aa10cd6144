"""The page of the API: found, filtered and opened by anybody, in light and dark and on a phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def test_somebody_finds_out_how_a_program_lists_documents(newcomer):
    refused = []
    for options in (
        {"color_scheme": "dark", "viewport": {"width": 390, "height": 780}},
        {"color_scheme": "light"},
    ):
        person = newcomer(bypass_csp=True, **options)  # axe is a script of ours to run, not of the page
        page = person.page
        page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
        page.goto(f"{person.base_url}/api/docs")
        expect(page.get_by_role("heading", name="Documents")).to_be_visible()
        page.get_by_role("searchbox", name="Filter").fill("List the documents")
        expect(page.get_by_role("status")).to_have_text("1 operation")
        page.locator("details:visible > summary", has_text="List the documents").click()
        opened = page.locator("#get-documents")
        expect(opened).to_contain_text("documents:read")
        expect(opened).to_contain_text("NOT_SIGNED_IN")
        assert [item["id"] for item in Axe().run(page).response["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        opened.get_by_role("link", name="DocumentsAnswer").click()
        expect(page.locator("#model-DocumentsAnswer")).to_have_attribute("open", "")
    assert refused == []
