"""Options that say how a query is answered, the same wherever one is asked."""

from __future__ import annotations

import click

from plait.cli.options import completed_by, fusions, read_filter, read_fusion, read_weights

__all__ = [
    "fetch_k_option",
    "fill_option",
    "filter_option",
    "fusion_option",
    "legs_option",
    "weights_option",
]

filter_option = click.option(
    "--filter",
    "keep",
    callback=read_filter,
    metavar="JSON",
    help="""Only chunks whose metadata passes, such as '{"product": "pro"}'.""",
)

fusion_option = click.option(
    "--fusion",
    callback=read_fusion,
    metavar="METHOD",
    shell_complete=completed_by(more=fusions),
    help="How rankings become one, instead of the collection's way: 'auto', 'rrf(k=60)'.",
)

weights_option = click.option(
    "--weights",
    callback=read_weights,
    metavar="LEG=W,...",
    help="Weight of each leg: 'dense=1,bm25=2'.",
)

legs_option = click.option(
    "--leg",
    "legs",
    multiple=True,
    metavar="NAME",
    shell_complete=completed_by("dense", "bm25"),
    help="Ask only this leg, dense or bm25; repeatable.",
)

fetch_k_option = click.option(
    "--fetch-k",
    type=click.IntRange(1),
    metavar="N",
    help="Candidates asked of each leg, instead of the collection's window.",
)

fill_option = click.option(
    "--fill",
    is_flag=True,
    help="Let each leg score the hits that only the other leg returned.",
)
