"""Whatever a tuning holds comes back from JSON and from TOML."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from plait.collection import Tuning

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    TEXT | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
TUNINGS = st.builds(
    Tuning,
    fusion=st.sampled_from(["auto()", "rrf(k=10)", "rsf()", "zscore(absent='min')"]),
    weights=st.dictionaries(TEXT.filter(bool), st.floats(1e-9, 1e9), min_size=1, max_size=3),
    window=st.integers(1, 10**6),
    evidence=st.dictionaries(TEXT.filter(lambda name: name != "collection"), VALUES, max_size=4),
)


@given(TUNINGS)
def test_json(tuning):
    assert Tuning.from_json(tuning.to_json()) == tuning


@given(TUNINGS)
def test_toml(tuning):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plait.toml"
        tuning.write(path)
        assert Tuning.read(path) == tuning
