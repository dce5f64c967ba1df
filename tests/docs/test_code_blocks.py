"""The Python in the README and in docs/ runs as it stands there."""

import os
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.model
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.name)
def test_the_code_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    # A folder of documents, as the pages speak of one.
    shutil.copytree(ROOT / "examples" / "support-kb", tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for number, block in enumerate(blocks(page), start=1):
        code = compile(block, f"{page.name}, block {number}", "exec")
        exec(code, namespace)


def test_links_between_the_pages_lead_somewhere():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_commands_that_the_readme_asks_for_are_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in set(re.findall(r"scripts/\w+", text)):
        assert os.access(ROOT / command, os.X_OK), command
