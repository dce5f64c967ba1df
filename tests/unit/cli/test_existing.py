from pathlib import Path

import pytest

import plait
from plait.cli.existing import open_existing
from plait.errors import ConfigurationError


def test_a_collection_that_is_there_is_opened_to_read(tmp_path: Path) -> None:
    with plait.open(tmp_path, "docs", embedder=None) as kb:
        kb.add([plait.Chunk("cats purr", id="1")])
    with open_existing(tmp_path, "docs") as kb:
        assert kb.count() == 1
        with pytest.raises(ConfigurationError, match="read_only"):
            kb.clear()


def test_one_that_is_not_there_is_an_error_that_helps(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f"plait index PATHS --to {tmp_path}"):
        open_existing(tmp_path, "docs")
    plait.open(tmp_path, "other", embedder=None).close()
    with pytest.raises(ConfigurationError, match=r"no collection 'docs' .* which has 'other'"):
        open_existing(tmp_path, "docs")
    assert not (tmp_path / "docs.plait").exists()
