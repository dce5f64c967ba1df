"""JSON on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

__all__ = ["write_json"]


def write_json(value: Any) -> None:
    """Write a value as indented JSON, escaped where the output's encoding is not a Unicode one."""
    encoding = (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(value, ensure_ascii=not encoding.startswith("utf"), indent=2))
