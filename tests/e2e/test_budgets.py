"""What a page may weigh."""

import pytest
from e2e.pdf_files import write_pdf
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

MOST_SCRIPT_BYTES = 150_000  # uncompressed, of a whole page


@pytest.mark.parametrize("page", ["library", "reader", "reader of a PDF"])
def test_a_page_loads_little_script_and_nothing_from_elsewhere(reader, spaced_words, tmp_path, page):
    if page == "reader of a PDF":
        reader.upload(
            write_pdf(tmp_path / "Spaced words.pdf", "Alpha, bravo, charlie.", "Delta, echo, foxtrot.")
        )
        reader.page.locator("a.card-link").filter(has_text="Spaced words").click(timeout=30_000)
        expect(reader.page.locator(".leaf[data-image][data-text]")).to_be_visible()
        document_id = reader.page.url.rpartition("/")[2]
    else:
        reader.upload(spaced_words)
        document_id = reader.open("Spaced words")
    # What is kept from before would come without a body.
    reader.context.new_cdp_session(reader.page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    loaded: dict[str, int] = {}
    reader.page.on("response", lambda r: loaded.__setitem__(r.url, len(r.body()) if r.ok else 0))
    reader.page.goto(
        f"{reader.base_url}/app" if page == "library" else f"{reader.base_url}/read/{document_id}"
    )
    reader.page.wait_for_load_state("networkidle")
    scripts = {url: size for url, size in loaded.items() if url.endswith(".js")}
    assert len(scripts) > 3
    assert all(scripts.values())
    assert sum(scripts.values()) <= MOST_SCRIPT_BYTES, sorted(scripts.items(), key=lambda item: -item[1])[:5]
    assert [url for url in loaded if not url.startswith(reader.base_url)] == []


def test_pages_report_no_error_to_the_console(reader, spaced_words):
    reader.upload(spaced_words)
    reader.open("Spaced words")
    reader.play()
    reader.pause()
    reader.page.goto(f"{reader.base_url}/app")
    assert [line for line in reader.console if line.startswith(("error", "pageerror"))] == []
