"""A command line to run, and a collection to run it on."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from plait.cli.app import plait
from plait.cli.run import run

CANCEL = """\
---
title: Cancel a plan
product: pro
year: 2024
---
# Cancel a plan

You can cancel your plan at any time under Settings, Billing.

## Refunds

Refunds take 14 days.
"""
ERRORS = """\
{"id": "e1042", "title": "Error E1042", "text": "The socket was closed.", "product": "pro"}
{"id": "broken
{"id": "e1044", "text": "The plan does not allow this many sockets.", "product": "free"}
"""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``plait`` with arguments, as the installed command does."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run(plait, [str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a Markdown file, JSONL with a broken line, binary, and another type."""
    folder = tmp_path / "docs"
    (folder / "billing").mkdir(parents=True)
    (folder / "billing" / "cancel.md").write_text(CANCEL)
    (folder / "errors.jsonl").write_text(ERRORS)
    (folder / "binary.txt").write_bytes(b"\x00\x01\x02")
    (folder / "logo.png").write_bytes(b"\x89PNG")
    return folder


@pytest.fixture
def kb(cli: Run, docs: Path, tmp_path: Path) -> Path:
    """The collection of these files."""
    folder = tmp_path / "kb"
    done = cli("index", docs, "--to", folder, "--embedder", "hash(dim=64)", "--language", "en")
    assert done.code == 0, done.err
    return folder
