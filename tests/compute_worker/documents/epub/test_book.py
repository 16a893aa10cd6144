from books.epubs import PNG, epub, page
from books.reading import Reading, read

from compute_worker.documents.epub.book import parse
from compute_worker.documents.model import BlockRole, TextDirection

NAV_ITEM = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
NCX_ITEM = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'


def read_body(body: str, **others: str) -> Reading:
    return read(parse, epub({"one.xhtml": body}, **others))


def test_the_spine_is_the_reading_order_and_what_is_not_linear_comes_last() -> None:
    book = read(
        parse,
        epub(
            {"a.xhtml": "<p>A</p>", "b.xhtml": "<p>B</p>", "c.xhtml": "<p>C</p>"},
            spine='<itemref idref="p2"/><itemref idref="p0" linear="no"/><itemref idref="p1"/>',
        ),
    )
    assert book.texts() == ["C", "B", "A"]


def test_title_authors_and_language_come_from_the_package() -> None:
    book = read_body(
        "<p>x</p>",
        language="de-AT",
        metadata='<dc:creator id="c">Anna Å</dc:creator>'
        '<dc:creator opf:role="ill">The Illustrator</dc:creator>'
        '<dc:creator id="t">The Translator</dc:creator><meta refines="#t" property="role">trl</meta>',
    )
    assert (book.document.title, book.document.authors, book.document.language) == (
        "A Book",
        ("Anna Å",),
        "de-AT",
    )


def test_an_undeclared_language_is_detected() -> None:
    assert read_body("<p>Это было давно, и никто уже не помнил.</p>", language="").document.language == "ru"


def test_the_navigation_document_is_the_table_of_contents() -> None:
    nav = page(
        '<nav epub:type="landmarks"><ol><li><a href="one.xhtml">no</a></li></ol></nav><nav '
        'epub:type="toc"><ol>'
        '<li><a href="one.xhtml">Part <i>one</i></a><ol><li><a href="two.xhtml#deep">Deep</a></li></ol></li>'
        '<li><a href="gone.xhtml">Gone</a></li></ol></nav>'
    )
    book = read(
        parse,
        epub(
            {"one.xhtml": "<p>1</p>", "two.xhtml": '<p>2</p><div id="deep"><p>3</p></div>'},
            items=NAV_ITEM,
            others={"OPS/nav.xhtml": nav},
        ),
    )
    part, *rest = book.document.toc
    assert (part.title, part.section, part.block_id, rest) == ("Part one", 0, "0-0", [])
    (deep,) = part.children
    assert (deep.title, deep.section, deep.block_id) == ("Deep", 1, "1-1")
    assert [section.title for section in book.sections] == ["Part one", "Deep"]


def test_an_epub_2_has_its_contents_from_the_ncx() -> None:
    ncx = (
        "<ncx "
        'xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>First</text></navLabel>'
        '<content src="one.xhtml"/></navPoint></navMap></ncx>'
    )
    book = read(parse, epub({"one.xhtml": "<p>1</p>"}, items=NCX_ITEM, others={"OPS/toc.ncx": ncx}))
    assert [entry.title for entry in book.document.toc] == ["First"]


def test_without_either_the_headings_are_the_contents() -> None:
    book = read_body("<h1>A</h1><p>x</p><h2>B</h2><p>y</p><h1>C</h1>")
    assert [(entry.title, [child.title for child in entry.children]) for entry in book.document.toc] == [
        ("A", ["B"]),
        ("C", []),
    ]


def test_footnotes_are_told_apart_and_their_marks_are_not_read() -> None:
    book = read_body(
        '<p>Text<a epub:type="noteref" href="#n1">1</a> goes on.</p><aside epub:type="footnote" '
        'id="n1"><p>Note.</p></aside>'
        '<section role="doc-endnotes"><ol><li id="n2"><p>Second note <a role="doc-backlink" '
        'href="#x">↩</a></p></li></ol></section>'
    )
    assert book.texts(BlockRole.PARAGRAPH) == ["Text goes on."]
    assert book.texts(BlockRole.FOOTNOTE) == ["Note.", "Second note"]
    assert '<a href="#section-0" data-section="0" data-target="0-1"' in book.html
    assert '<span data-unread="noteref">1</span>' in book.html


def test_a_raised_number_that_leads_elsewhere_is_a_note_mark_too() -> None:
    book = read_body('<p>Text<sup><a href="#f">2</a></sup> and 10<sup>3</sup> more.</p><p id="f">Note</p>')
    assert book.texts()[0] == "Text and 103 more."


def test_page_breaks_and_ruby_are_shown_but_not_read() -> None:
    book = read_body(
        '<p>One <span epub:type="pagebreak" id="p7">7</span>two <ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>'
        "</ruby>.</p>"
    )
    assert book.texts() == ["One two 漢."]
    assert '<rt><span data-unread="ruby">かん</span></rt>' in book.html


def test_what_is_hidden_is_neither_shown_nor_read() -> None:
    body = (
        '<p hidden="hidden">a</p><p style="color:red; display : none">b</p><p class="off">c</p><p '
        'id="gone">d</p>'
        '<p class="on">Seen.</p><style>.x{color:red} .off, #gone { display:none } @media print { .on '
        "{display:none} }</style>"
    )
    head = '<link rel="stylesheet" href="s.css"/>'
    css = (
        "/* .on{display:none} */ p.off{display:none} #gone{visibility:hidden} @media print{.on{display:none}}"
    )
    book = read(parse, epub({"one.xhtml": page(body, head=head)}, others={"OPS/s.css": css}))
    assert book.texts() == ["Seen."]
    assert "display" not in book.html


def test_pictures_are_kept_by_content_whatever_they_are_called() -> None:
    book = read(
        parse,
        epub(
            {
                "one.xhtml": '<p>x</p><img src="i/a.jpg" alt="A tree."/>'
                '<p>with <img src="i/a.jpg" alt="small"/> one</p>'
            },
            items='<item id="c" href="i/a.jpg" media-type="image/jpeg" properties="cover-image"/>',
            others={"OPS/i/a.jpg": PNG},
        ),
    )
    (name,) = book.resources
    assert name.endswith(".png")
    assert book.document.cover == name
    assert book.html.count(f'src="resources/{name}"') == 2
    assert book.texts(BlockRole.IMAGE_ALT) == ["A tree."]
    assert book.texts(BlockRole.PARAGRAPH) == ["x", "with one"]


def test_a_drawing_that_draws_nothing_is_its_description_or_its_bitmap() -> None:
    book = read(
        parse,
        epub(
            {
                "one.xhtml": '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
                '<title>The map</title><script>alert(1)</script><image xlink:href="a.png"/></svg>'
                '<img src="d.svg" alt="A drawing"/><p>x</p>'
            },
            others={"OPS/a.png": PNG, "OPS/d.svg": "<svg onload='alert(1)'/>"},
        ),
    )
    assert book.texts(BlockRole.IMAGE_ALT) == ["The map", "A drawing"]
    assert len(book.resources) == 1
    assert "svg" not in book.html
    assert "alert" not in book.html


def test_a_missing_picture_is_a_warning() -> None:
    book = read_body('<p>x</p><img src="../../../../etc/passwd" alt="secret"/>')
    assert [warning.code for warning in book.document.warnings] == ["IMAGE_MISSING"]
    assert book.resources == {}
    assert book.texts() == ["x", "secret"]


def test_links_between_files_lead_to_blocks() -> None:
    book = read(
        parse,
        epub(
            {
                "one.xhtml": '<p>See <a href="two.xhtml#t">there</a>, <a href="two.xhtml">all</a>, '
                '<a href="no.xhtml">no</a>, '
                '<a href="https://example.org/?a=1&amp;b=2">out</a>, '
                '<a href="javascript:alert(1)">bad</a>.</p>'
                "",
                "two.xhtml": '<p>Begin</p><p>Target <b id="t">here</b></p>',
            }
        ),
    )
    assert 'href="#section-1" data-section="1" data-target="1-1"' in book.html
    assert 'href="#section-1" data-section="1" data-target="1-0"' in book.html
    assert 'href="https://example.org/?a=1&amp;b=2"' in book.html
    assert 'rel="noopener noreferrer nofollow"' in book.html
    assert "javascript" not in book.html
    assert "no.xhtml" not in book.html


def test_tables_lists_quotes_and_code_keep_their_roles() -> None:
    book = read_body(
        "<table><caption>Ages</caption><tr><th>Name</th><th>Age</th></tr><tr><td>Ann Lee.</td>"
        "<td><p>3</p><p>or 4</p></td></tr>"
        "</table><ul><li>first</li><li><p>second</p></li></ul><blockquote><p>quoted</p></blockquote>"
        "<pre>\n\nx = 1\n  y = 2\n</pre><figure><img alt='pic'/><figcaption>cap</figcaption></figure>"
        '<p role="doc-biblioentry">Lee, A. (1990)</p><dl><dt>term</dt><dd>meaning</dd></dl>'
    )
    assert book.texts(BlockRole.TABLE) == ["Name\nAge", "Ann Lee.\n3\nor 4"]
    assert book.sentences()[1:6] == ["Name\n", "Age", "Ann Lee.\n", "3\n", "or 4"]
    assert book.texts(BlockRole.CAPTION) == ["Ages", "cap"]
    assert book.texts(BlockRole.LIST_ITEM) == ["first", "second", "term", "meaning"]
    assert book.texts(BlockRole.QUOTE) == ["quoted"]
    assert book.texts(BlockRole.CODE) == ["x = 1\n  y = 2"]
    assert book.texts(BlockRole.REFERENCE) == ["Lee, A. (1990)"]


def test_a_table_that_lays_out_a_page_is_read_as_the_page() -> None:
    book = read_body("<table><tr><td><h2>Left</h2><p>One.</p></td><td><p>Two.</p></td></tr></table>")
    assert book.texts() == ["Left", "One.", "Two."]
    assert "<table" not in book.html


def test_text_beside_blocks_is_a_block_of_its_own() -> None:
    book = read_body("<div>Loose <b>text</b><p>Paragraph</p>after<br/>it</div>")
    assert book.texts() == ["Loose text", "Paragraph", "after\nit"]


def test_white_space_is_one_space_but_a_no_break_space_stays() -> None:
    book = read_body("<p>\n  a\t\n b<i> c </i> d&nbsp;e&shy;f &unknown; </p>")
    assert book.texts() == ["a b c d\u00a0e\u00adf &unknown;"]


def test_an_unclosed_element_does_not_lose_the_page() -> None:
    body = "<html><head><title/></head><body><p>One <b>two<p>Three & four<div/><p>Five</body></html>"
    assert read_body(body).texts() == ["One two", "Three & four", "Five"]


def test_direction_and_language_of_a_part_are_kept() -> None:
    book = read(
        parse,
        epub(
            {
                "a.xhtml": page(
                    '<p>שלום עולם.</p><p lang="en" dir="ltr">Hello.</p>', attributes='xml:lang="he"'
                )
            }
        ),
    )
    assert book.sections[0].direction is TextDirection.RTL
    assert [block.language for block in book.blocks] == ["he", "en"]
    assert '<p data-block="0-1" lang="en" dir="ltr">' in book.html


def test_vertical_and_fixed_layouts_are_shown_as_plain_text_in_reading_order() -> None:
    """The book's own styles stay behind: nothing stands upright, on top of each other or off the page."""
    head = "<style>html{writing-mode:vertical-rl} .t{position:absolute;left:-900px}</style>"
    fixed = page(
        '<div class="t" style="position:absolute;top:9px">吾輩は<ruby>猫<rt>ねこ</rt></ruby>である。</div>'
        '<div class="t" style="writing-mode:vertical-rl">名前はまだ無い。</div>',
        head=head + '<meta name="viewport" content="width=600, height=800"/>',
        attributes='lang="ja"',
    )
    layout = '<meta property="rendition:layout">pre-paginated</meta>'
    book = read(parse, epub({"one.xhtml": fixed}, language="ja", metadata=layout))
    assert book.texts() == ["吾輩は猫である。", "名前はまだ無い。"]
    assert "style" not in book.html
    assert "class" not in book.html


def test_locators_are_paths_in_the_source() -> None:
    book = read_body("<div><p>a</p><ul><li>b</li></ul><p>c</p></div>")
    assert [block.path for block in book.blocks] == [
        "/html/body/div[1]/p[1]",
        "/html/body/div[1]/ul[1]/li[1]",
        "/html/body/div[1]/p[2]",
    ]


def test_a_book_in_one_enormous_file_is_cut() -> None:
    chapter = "<h2>Chapter</h2>" + "<p>A sentence of some length stands here. </p>" * 14_000
    book = read_body(f"<div>{chapter * 2}</div>")
    assert len(book.sections) == 2
    assert all(
        section.html.startswith("<div>") and section.html.endswith("</div>") for section in book.sections
    )


def test_very_deep_nesting_is_read() -> None:
    depth = 400
    assert read_body("<div>" * depth + "deep" + "</div>" * depth).texts() == ["deep"]
