"""A comparison as one HTML page that needs nothing else: no network, no file beside it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from plait.evaluation.comparison import Comparison
from plait.evaluation.report.differing import differing_topics
from plait.evaluation.report.markup import kind_of, table, text
from plait.evaluation.report.numbers import interval, number, p_value, signed
from plait.evaluation.report.strips import (
    difference_figure,
    gain_figure,
    mean_figure,
    spread_figure,
)
from plait.evaluation.report.words import method, scope, verdict

__all__ = ["comparison_html"]

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
<script>{script}</script>
</body>
</html>
"""
_HEADER = (
    "system", "mean", "95 % interval", "difference", "95 % interval",
    "p", "adjusted p", "wins", "ties", "losses",
)  # fmt: skip


def comparison_html(comparison: Comparison) -> str:
    """The comparison as a page: verdicts, tables, plots, and the topics that differ.

    Plots are inline SVG; colors follow the reader's light or dark setting. Text of unknown origin
    (names, queries, ids) is escaped, and the page forbids every script but its own, which sorts
    tables, and every connection.
    """
    script = _file("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _PAGE.format(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        title=f"Comparison: {text(' | '.join(comparison.systems))}",
        style=_file("page.css"),
        body="\n".join(_body(comparison)),
        script=script,
    )


def _file(name: str) -> str:
    return files("plait.evaluation.report").joinpath(name).read_text(encoding="utf-8")


def _body(comparison: Comparison) -> Iterator[str]:
    yield f"<h1>Comparison</h1>\n<p>{text(scope(comparison))}.</p>"
    yield '<ul class="verdicts">'
    for name in comparison.others:
        each = comparison.difference(name)
        yield f'<li class="{kind_of(each)}">{text(verdict(each))}</li>'
    for note in comparison.notes:
        yield f'<li class="note">{text(note)}</li>'
    yield "</ul>"
    for measure in comparison.measures:
        yield f"<section>\n<h2>{text(measure)}</h2>"
        yield _figures(comparison, measure)
        yield mean_figure(comparison, measure)
        yield difference_figure(comparison, measure)
        yield gain_figure(comparison, measure)
        yield spread_figure(comparison, measure)
        yield "</section>"
    yield "<section>\n<h2>Topics that differ most</h2>"
    yield f'<p class="faint">By {text(comparison.measures[0])}; bold: judged relevant.</p>'
    yield from differing_topics(comparison)
    yield f"</section>\n<section>\n<h2>How to read this</h2>\n<p>{text(method(comparison))}</p>"
    yield "</section>"


def _figures(comparison: Comparison, measure: str) -> str:
    rows = (_row(comparison, name, measure) for name in comparison.systems)
    caption = f"{text(measure)} over the topics, and the difference to {text(comparison.baseline)}"
    # What scrolls is reached by the keyboard too.
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(measure)}">\n'
        f"{table(caption, _HEADER, rows, 'figures')}\n</div>"
    )


def _row(comparison: Comparison, name: str, measure: str) -> str:
    mean = comparison.means[measure][name]
    cells = [
        f'<th scope="row" data-value="{text(name)}">{text(name)}</th>',
        _cell(mean.mean, number(mean.mean)),
        _cell(mean.low, interval(mean.low, mean.high)),
    ]
    if name == comparison.baseline:
        cells.append("<td>baseline</td>" + "<td></td>" * 6)
    else:
        each = comparison.difference(name, measure)
        gain = each.estimate
        cells += [
            _cell(gain.mean, signed(gain.mean), kind_of(each)),
            _cell(gain.low, interval(gain.low, gain.high, sign=True)),
            _cell(each.p, p_value(each.p)),
            _cell(each.p_adjusted, p_value(each.p_adjusted)),
            *(_cell(count, f"{count:,}") for count in (each.wins, each.ties, each.losses)),
        ]
    return f"<tr>{''.join(cells)}</tr>"


def _cell(value: float, shown: str, kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<td data-value="{value!r}"{of_kind}>{text(shown)}</td>'
