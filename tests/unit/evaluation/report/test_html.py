"""The page: its structure, that it needs nothing else, and that text stays text."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from plait.evaluation.comparison import Comparison
from plait.evaluation.report.html import comparison_html

POLICY = {"http-equiv": "Content-Security-Policy"}
VOID = {"meta", "line", "circle", "rect", "path"}


class Page(HTMLParser):
    """Elements with their attributes, and the text of each by kind; refuses what is not closed."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, names)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.append((tag, ""))

    def handle_startendtag(self, tag: str, attrs) -> None:
        assert tag in VOID, tag
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1], data))

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        return [
            given
            for name, given in self.elements
            if name == tag
            and wanted.items() <= {k.rstrip("_"): v for k, v in given.items()}.items()
        ]

    def said(self, tag: str) -> list[str]:
        return [data for name, data in self.texts if name == tag and data]


@pytest.fixture
def page(compared: Comparison) -> Page:
    return Page(comparison_html(compared))


def test_structure(page: Page, compared: Comparison) -> None:
    assert page.said("h1") == ["Comparison"]
    assert page.said("h2") == ["nDCG@10", "R@100", "Topics that differ most", "How to read this"]
    assert len(page.all("figure")) == len(page.all("figcaption")) == 4 * 2
    # Each measure: means and spreads of 3 systems, differences and gains of 2.
    assert len(page.all("svg", role="img")) == 2 * (3 + 3 + 2 + 2)
    assert len(page.all("details")) == len(page.all("summary")) == 8
    tables = [given["class"] for given in page.all("table")]
    assert tables == ["figures"] * 2 + ["returned"] * 2 * 8
    assert len(page.all("th", scope="row")) == 2 * 3
    assert len(page.said("li")) == 2 + 1  # verdicts and a note
    header = ["system", "mean", "95 % interval", "difference", "95 % interval",
              "p", "adjusted p", "wins", "ties", "losses"]  # fmt: skip
    assert [said for said in page.said("th") if said in header][: len(header)] == header


def test_it_can_be_used_without_seeing_it(page: Page) -> None:
    assert page.all("html") == [{"lang": "en"}]
    assert all(given["aria-label"] for given in page.all("svg", role="img"))
    assert len(page.said("title")) == 1 + len(page.all("svg", role="img"))
    assert len(page.said("caption")) == len(page.all("table"))
    # Whatever is no picture of its own is either part of one or of the figures beside it.
    others = [given for given in page.all("svg") if given.get("role") != "img"]
    assert all("viewbox" in given or given["aria-hidden"] == "true" for given in others)
    assert page.all("div", role="region") == [
        {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": measure}
        for measure in ("nDCG@10", "R@100")
    ]


def test_it_needs_nothing_else(page: Page, compared: Comparison) -> None:
    source = comparison_html(compared)
    loading = {"src", "href", "srcset", "action", "data", "poster", "background"}
    assert not [given for _, given in page.elements if loading & given.keys()]
    assert not re.search(r"@import|url\(|https?:", source)
    (policy,) = (given["content"] for given in page.all("meta", **POLICY))
    script = "".join(page.said("script"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def test_text_stays_text(page: Page, evil: str, compared: Comparison) -> None:
    assert len(page.all("script")) == 1
    handlers = [name for _, given in page.elements for name in given if name.startswith("on")]
    assert handlers == []
    spans, cells = page.said("span"), page.said("td")
    assert f"what is {evil} & | *7*? " in spans
    assert f"t7-{evil}" in cells
    assert f'{evil}" onload="x' in page.said("th")
    assert f'{evil}" onload="x: a note with {evil}' in page.said("li")
    assert evil not in comparison_html(compared)


def test_control_characters_and_surrogates_do_not_reach_the_page(compared: Comparison) -> None:
    (first, *_) = compared.contrasts["better"]
    odd = replace(first, text="a\x00b\u202ec\ud800d", topic="t\n7")
    changed = replace(compared, contrasts={"better": (odd,)})
    source = comparison_html(changed)
    assert "a bc d" in source
    assert not set("\x00\u202e\ud800") & set(source)
    source.encode("utf-8")


def test_systems_that_never_differ(compared: Comparison) -> None:
    same = compared.systems[2]
    assert compared.contrasts[same] == ()
    assert "There is no topic on which they differ." in comparison_html(compared)


def test_whole_rankings_may_be_missing(compared: Comparison) -> None:
    (first, *_) = compared.contrasts["better"]
    changed = replace(compared, contrasts={"better": (replace(first, returned=()),)})
    assert "it returned nothing" in comparison_html(changed)
