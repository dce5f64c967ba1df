"""Arrays in files and sorted strings, held against NumPy and Python for whatever there may be."""

from __future__ import annotations

import hashlib
import json
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from plait.errors import IndexFormatError
from plait.kernels import native
from plait.storage import ArrayFile, Files, MemoryArrays, Names, write_arrays

BLOCK = 4096
TEXT = st.text(st.sampled_from("ab\x00é\uffff\U0001f600"), max_size=4)
DTYPES = st.sampled_from(["|u1", "|i1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f4", "<f8"])
NUMBERS = st.one_of(
    st.integers(-2, 6000),
    st.sampled_from([2**31, 2**63, 2**70, 64, 4096]),
    st.floats(allow_nan=False),
    st.none(),
    st.booleans(),
    st.text(max_size=2),
)
ANYTHING = st.recursive(NUMBERS, lambda inner: st.lists(inner, max_size=3), max_leaves=6)
PLACES = st.one_of(
    ANYTHING, st.tuples(st.one_of(DTYPES, ANYTHING), st.lists(NUMBERS, max_size=3), NUMBERS)
)
HEADERS = st.one_of(
    ANYTHING,
    st.fixed_dictionaries(
        {
            "meta": st.one_of(st.just({}), ANYTHING),
            "arrays": st.one_of(st.dictionaries(st.text(max_size=2), PLACES, max_size=3), ANYTHING),
            "data": st.one_of(st.just(BLOCK), NUMBERS),
        }
    ),
)


@pytest.fixture(scope="module")
def folder() -> Any:
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


@given(
    st.dictionaries(
        st.text(max_size=3),
        DTYPES.flatmap(
            lambda dtype: arrays_of.arrays(
                dtype, arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=40)
            )
        ),
        max_size=4,
    ),
    st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.integers(), st.text(max_size=3))),
    st.booleans(),
)
def test_what_is_written_is_read(
    folder: Path, arrays: dict[str, Any], meta: dict[str, Any], compiled: bool
) -> None:
    path = folder / "x"
    mark = write_arrays(path, arrays, meta=meta, files=Files())
    file = ArrayFile(path)
    assert (file.mark, file.meta) == (mark, meta)
    for name, array in arrays.items():
        found = file.read(name)
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()
    with native.without():
        ArrayFile(path).verify()


@given(HEADERS, st.integers(0, 20))
def test_a_header_gives_arrays_within_the_data_or_none(folder: Path, header: Any, cut: int) -> None:
    said = json.dumps(header).encode()
    said = said[: len(said) - cut] if cut < 5 else said
    head = struct.pack("<8sII", b"plaitseg", 1, len(said)) + said
    head += hashlib.blake2b(head, digest_size=16).digest()
    sums = struct.pack("<I", 0xC71C0011)  # of 4096 zeros
    path = folder / "x"
    path.write_bytes(
        head
        + bytes(-len(head) % BLOCK)
        + bytes(BLOCK)
        + sums
        + hashlib.blake2b(sums, digest_size=16).digest()
    )
    try:
        file = ArrayFile(path)
    except IndexFormatError:
        return
    file.verify()
    for name in dict(header["arrays"]):
        assert file.read(name).nbytes <= BLOCK
        assert not file.read(name).any()


@given(st.data(), st.integers(1, 9000), st.integers(1, 8))
def test_harm_is_found_where_it_is_touched(
    folder: Path, data: st.DataObject, width: int, rows: int
) -> None:
    table = (np.arange(rows * width) % 251).astype(np.uint8).reshape(rows, width)
    path = folder / "x"
    write_arrays(path, {"n": table}, meta={}, files=Files())
    harmed = data.draw(st.integers(0, -(-table.size // BLOCK) * BLOCK - 1))
    with path.open("r+b") as file:
        file.seek(BLOCK + harmed)
        file.write(bytes([(int(table.flat[harmed]) if harmed < table.size else 0) ^ 1]))
    opened = ArrayFile(path)
    for _ in range(4):
        first = data.draw(st.integers(0, rows - 1))
        last = data.draw(st.integers(first, rows))
        wanted = np.array(data.draw(st.lists(st.integers(0, rows - 1), max_size=4)), dtype=np.int64)
        for touched, touch, arguments in (
            (wanted, opened.touch_rows, (wanted,)),
            (np.arange(first, last), opened.touch, (first, last)),
            (wanted, lambda name, *spans: opened.touch_spans([name], *spans), (wanted, wanted + 1)),
        ):
            blocks = [
                range(row * width // BLOCK, (row * width + width - 1) // BLOCK + 1)
                for row in touched.tolist()
            ]
            if any(harmed // BLOCK in each for each in blocks):
                with pytest.raises(IndexFormatError, match="was changed"):
                    touch("n", *arguments)
            else:
                touch("n", *arguments)
                np.testing.assert_array_equal(opened["n"][touched], table[touched])
    with pytest.raises(IndexFormatError, match="was changed"):
        opened.verify()


@given(st.sets(TEXT, max_size=30), st.lists(TEXT, max_size=40), st.data())
def test_strings_are_found_by_both(there: set[str], wanted: list[str], data: st.DataObject) -> None:
    ordered = sorted(there)
    names = Names(MemoryArrays(Names.build(ordered, "x")), "x")
    expected = [ordered.index(each) if each in there else -1 for each in wanted]
    places = data.draw(st.lists(st.integers(0, len(ordered) - 1), max_size=10)) if ordered else []
    assert names.locate(wanted).tolist() == expected
    assert names.at(np.array(places, dtype=np.int64)) == [ordered[place] for place in places]
    with native.without():
        assert names.locate(wanted).tolist() == expected
        assert names.at(np.array(places, dtype=np.int64)) == [ordered[place] for place in places]
    assert list(names) == ordered
    assert [names.bisect(each) for each in wanted] == [
        sum(other < each for other in ordered) for each in wanted
    ]
