"""Files of arrays: laid out as told, read as written, and refused when a single bit is another."""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plait.errors import IndexFormatError, StoreError
from plait.kernels import native
from plait.storage import ArrayFile, Files, write_arrays

BLOCK = 4096
SMALL = {
    "a": np.arange(5, dtype="<u4"),
    "b": np.float32([[1.5, -2.0], [0.0, 3.25]]),
    "c": np.frombuffer(b"letters", dtype=np.uint8),
}


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "compiled":
        yield
    else:
        with native.without():
            yield


def written(path: Path, arrays: dict[str, NDArray[Any]], **meta: Any) -> Path:
    write_arrays(path, arrays, meta=meta, files=Files())
    return path


def forged(path: Path, header: Any, data: bytes = b"") -> Path:
    """A file with right checksums of whatever somebody puts into it."""
    said = header if isinstance(header, bytes) else json.dumps(header).encode()
    head = struct.pack("<8sII", b"plaitseg", 1, len(said)) + said
    head += hashlib.blake2b(head, digest_size=16).digest()
    sums = b"".join(
        struct.pack("<I", zlib.crc32(data[at : at + BLOCK])) for at in range(0, len(data), BLOCK)
    )
    head += bytes(-len(head) % BLOCK)
    path.write_bytes(head + data + sums + hashlib.blake2b(sums, digest_size=16).digest())
    return path


def flip(path: Path, place: int, bit: int = 1) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ bit]))


class TestWhatIsWritten:
    @pytest.mark.parametrize("dtype", ["u1", "i1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f4", "<f8"])
    def test_is_read(self, tmp_path: Path, dtype: str) -> None:
        array = np.arange(100).astype(dtype)
        file = ArrayFile(written(tmp_path / "x", {"n": array}))
        assert file.read("n").tolist() == list(range(100))
        assert file["n"].dtype == np.dtype(dtype)

    def test_has_shapes_and_facts(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL, chunks=3, name="é")
        file = ArrayFile(path)
        assert file.path == path
        assert file.meta == {"chunks": 3, "name": "é"}
        assert "a" in file
        assert "d" not in file
        for name, array in SMALL.items():
            np.testing.assert_array_equal(file.read(name), array)
        file.verify()
        for ask in (file.__getitem__, file.touch, file.read):
            with pytest.raises(KeyError):
                ask("d")

    def test_is_laid_out_as_told(self, tmp_path: Path) -> None:
        data = written(tmp_path / "x", SMALL, chunks=3).read_bytes()
        magic, version, length = struct.unpack("<8sII", data[:16])
        assert (magic, version) == (b"plaitseg", 1)
        assert json.loads(data[16 : 16 + length]) == {
            "meta": {"chunks": 3},
            "arrays": {
                "a": ["<u4", [5], 0],
                "b": ["<f4", [2, 2], 64],
                "c": ["|u1", [7], 128],
            },
            "data": BLOCK,
        }
        block = data[BLOCK : 2 * BLOCK]
        assert struct.unpack("<5I", block[:20]) == (0, 1, 2, 3, 4)
        assert struct.unpack("<4f", block[64:80]) == (1.5, -2.0, 0.0, 3.25)
        assert block[128:] == b"letters".ljust(BLOCK - 128, b"\0")
        sums = struct.pack("<I", zlib.crc32(block))
        assert data[2 * BLOCK :] == sums + hashlib.blake2b(sums, digest_size=16).digest()

    def test_begins_with_a_block_where_it_is_large(self, tmp_path: Path) -> None:
        arrays = {"few": np.zeros(1, np.uint8), "many": np.arange(BLOCK * 4, dtype="<u4")}
        data = written(tmp_path / "x", arrays).read_bytes()
        assert data[2 * BLOCK :].startswith(arrays["many"].tobytes())
        assert ArrayFile(tmp_path / "x").read("many", -2).tolist() == [BLOCK * 4 - 2, BLOCK * 4 - 1]

    @pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (3, 0, 2)])
    def test_may_be_nothing(self, tmp_path: Path, shape: tuple[int, ...]) -> None:
        file = ArrayFile(written(tmp_path / "x", {"n": np.empty(shape, "<f4")}))
        assert file.read("n").shape == shape
        file.touch_rows("n", np.arange(shape[0]))
        file.verify()
        assert ArrayFile(written(tmp_path / "y", {})).meta == {}

    def test_need_not_lie_in_one_piece(self, tmp_path: Path) -> None:
        table = np.arange(12, dtype="<i8").reshape(3, 4)
        file = ArrayFile(written(tmp_path / "x", {"n": table[:, ::2], "t": table.T}))
        assert file.read("n").tolist() == [[0, 2], [4, 6], [8, 10]]
        assert file.read("t").tolist() == table.T.tolist()

    def test_is_written_in_pieces(self, tmp_path: Path) -> None:
        sizes: list[int] = []

        class Watching(Files):
            def write(self, path: Path, pieces: Any) -> int:
                whole = list(pieces)
                sizes.extend(map(len, whole))
                return super().write(path, whole)

        array = np.arange(3 << 19, dtype="<u4")  # 6 MB
        mark = write_arrays(tmp_path / "x", {"n": array}, meta={}, files=Watching())
        assert sizes == [BLOCK, 4 << 20, 2 << 20, 4 * 1536 + 16]
        file = ArrayFile(tmp_path / "x")
        assert file.mark == mark
        assert mark.bytes == sum(sizes) == (tmp_path / "x").stat().st_size
        np.testing.assert_array_equal(file.read("n"), array)

    def test_is_known_by_its_mark(self, tmp_path: Path) -> None:
        marks = [
            write_arrays(tmp_path / str(n), arrays, meta=meta, files=Files())
            for n, (arrays, meta) in enumerate(
                [(SMALL, {}), (SMALL, {}), (SMALL, {"n": 1}), ({**SMALL, "a": SMALL["a"] + 1}, {})]
            )
        ]
        assert [ArrayFile(tmp_path / str(n)).mark for n in range(4)] == marks
        assert marks[0] == marks[1]
        assert len(set(marks)) == 3

    @pytest.mark.parametrize(
        "array", [np.array(["a"]), np.array([None]), np.array([True]), np.arange(3, dtype=">u4")]
    )
    def test_is_numbers_only(self, tmp_path: Path, array: NDArray[Any]) -> None:
        with pytest.raises(ValueError, match=r"array 'n' is .* expected one of .*<f4"):
            written(tmp_path / "x", {"n": array})
        assert list(tmp_path.iterdir()) == []

    def test_has_a_dimension(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="at least one dimension"):
            written(tmp_path / "x", {"n": np.array(3.0)})

    def test_cannot_be_changed_through_the_arrays(self, tmp_path: Path) -> None:
        file = ArrayFile(written(tmp_path / "x", SMALL))
        with pytest.raises(ValueError, match="read-only"):
            file.read("a")[0] = 1

    def test_is_read_where_nothing_may_be_written(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL)
        path.chmod(0o444)
        tmp_path.chmod(0o555)
        try:
            assert ArrayFile(path).read("a").tolist() == [0, 1, 2, 3, 4]
        finally:
            tmp_path.chmod(0o755)

    @pytest.mark.skipif(os.name == "nt", reason="there a file in use stays")
    def test_stays_readable_when_the_file_is_removed(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL)
        array = ArrayFile(path)["a"]
        path.unlink()
        assert array.tolist() == [0, 1, 2, 3, 4]


class TestHarm:
    def test_every_flipped_byte_is_found_or_not_used(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL, chunks=3)
        size = path.stat().st_size
        for place in range(size):
            flip(path, place, 1 << place % 8)
            if BLOCK <= place < 2 * BLOCK:
                file = ArrayFile(path)
                for name in SMALL:  # one block, so all of it is checked with any of it
                    with pytest.raises(IndexFormatError, match="byte 0 of its data was changed"):
                        file.touch_rows(name, np.array([0]))
                with pytest.raises(IndexFormatError, match="was changed"):
                    file.verify()
            else:
                with pytest.raises(IndexFormatError, match=re.escape(str(path))) as caught:
                    ArrayFile(path)
                assert caught.value.path == str(path)
            flip(path, place, 1 << place % 8)
        ArrayFile(path).verify()

    def test_every_length_that_it_is_cut_to(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL)
        for size in reversed(range(path.stat().st_size)):
            os.truncate(path, size)
            with pytest.raises(IndexFormatError, match="is damaged"):
                ArrayFile(path)

    def test_a_cut_file_is_said_to_be_short(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL)
        os.truncate(path, 2 * BLOCK)
        with pytest.raises(IndexFormatError, match="it has 8192 bytes"):
            ArrayFile(path)

    def test_a_file_that_is_longer(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL)
        path.write_bytes(path.read_bytes() + b"\0")
        with pytest.raises(IndexFormatError, match="it has 8213 bytes"):
            ArrayFile(path)

    def test_a_newer_format(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL)
        path.write_bytes(b"plaitseg" + struct.pack("<I", 2) + path.read_bytes()[12:])
        with pytest.raises(
            IndexFormatError, match=r"x has format 2, .* reads format 1; upgrade plait"
        ):
            ArrayFile(path)

    @pytest.mark.parametrize("data", [b"", b"plait", bytes(9000), b"SQLite format 3\0" * 600])
    def test_another_file(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "x").write_bytes(data)
        with pytest.raises(IndexFormatError, match="x is damaged: it "):
            ArrayFile(tmp_path / "x")

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(IndexFormatError, match="x is missing"):
            ArrayFile(tmp_path / "x")
        with pytest.raises(StoreError, match="cannot be read"):
            ArrayFile(tmp_path)

    def test_a_header_with_a_length_that_is_no_file_long(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_bytes(struct.pack("<8sII", b"plaitseg", 1, 0xFFFFFFFF) + bytes(5000))
        with pytest.raises(IndexFormatError, match="header does not match its checksum"):
            ArrayFile(path)

    @pytest.mark.parametrize(
        "header",
        [
            [],
            {},
            7,
            b"",
            b"\xff",
            b"[" * 100_000,
            b'{"data": ' + b"9" * 5000 + b"}",
            {"meta": {}, "arrays": [1], "data": 0},
            {"meta": 7, "arrays": {}, "data": 0},
            {"meta": {}, "arrays": {}, "data": -BLOCK},
            {"meta": {}, "arrays": {}, "data": 100},
            {"meta": {}, "arrays": {}, "data": 0.0},
            {"meta": {}, "arrays": {}, "data": None},
            *(
                {"meta": {}, "arrays": {"n": place}, "data": BLOCK}
                for place in (
                    [],
                    ["<u4", [1]],
                    ["<u4", [], 0],
                    ["<u4", [-1], 0],
                    ["<u4", [1.0], 0],
                    ["<u4", [True], 0],
                    ["<u4", 1, 0],
                    ["<u4", [1], -64],
                    ["<u4", [1], 3],
                    ["<u4", [1], BLOCK],
                    ["<u4", [1025], 0],
                    ["<u4", [1009], 64],
                    ["<u4", [2**70], 0],
                    ["<u4", [0, 2**70], 0],
                    ["<u4", [2**70, 0], 0],
                    ["<u4", [2**62, 2**62, 0], 0],
                    ["<u4", [1] * 100, 0],
                    ["|O", [1], 0],
                    [">u4", [1], 0],
                    ["<U4", [1], 0],
                    [["<u4"], [1], 0],
                    [None, [1], 0],
                )
            ),
        ],
        ids=lambda header: str(header)[:60],
    )
    def test_a_header_that_cannot_be(self, tmp_path: Path, header: Any) -> None:
        data = header.get("data") if isinstance(header, dict) else 0
        path = forged(tmp_path / "x", header, bytes(BLOCK if data == BLOCK else 0))
        with pytest.raises(IndexFormatError, match="its header makes no sense"):
            ArrayFile(path)

    def test_sizes_of_a_header_take_no_memory(self, tmp_path: Path) -> None:
        header = {"meta": {}, "arrays": {"n": ["<f8", [1 << 40], 0]}, "data": 1 << 43}
        with pytest.raises(IndexFormatError, match="it has 4112 bytes"):
            ArrayFile(forged(tmp_path / "x", header))

    def test_something_behind_the_header(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", SMALL)
        flip(path, BLOCK - 1)
        with pytest.raises(IndexFormatError, match="behind its header"):
            ArrayFile(path)


class TestTouching:
    """A file of an array of 10 blocks, the fifth harmed; 1024 numbers lie in one."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> ArrayFile:
        path = written(tmp_path / "x", {"n": np.arange(10_240, dtype="<u4")})
        flip(path, BLOCK + 4 * BLOCK + 10)
        return ArrayFile(path)

    @pytest.mark.parametrize(
        ("start", "stop"),
        [(0, 4096), (5120, None), (0, 0), (4200, 4200), (5000, 4200), (-5120, None), (0, -6144)],
    )
    def test_what_is_not_harmed(self, file: ArrayFile, start: int, stop: int | None) -> None:
        found = file.read("n", start, stop)
        assert found.tolist() == list(range(10_240))[start:stop]

    @pytest.mark.parametrize(
        ("start", "stop"),
        [
            (0, None),
            (0, 4097),
            (5119, None),
            (4500, 4501),
            (-10_240, -5120),
            (0, -1),
            (-5121, 99999),
        ],
    )
    def test_what_is(self, file: ArrayFile, start: int, stop: int | None) -> None:
        for _ in range(2):  # it stays so
            with pytest.raises(IndexFormatError, match="byte 16384 of its data was changed"):
                file.read("n", start, stop)

    def test_rows(self, file: ArrayFile) -> None:
        file.touch_rows("n", np.array([0, 9999, 4095, 5120]))
        file.touch_rows("n", np.array([], dtype=np.int64))
        file.touch_rows("n", np.array([5120, 0], dtype=np.uint32))
        with pytest.raises(IndexFormatError, match="byte 16384"):
            file.touch_rows("n", np.array([0, 4096]))
        with pytest.raises(IndexFormatError, match="byte 16384"):
            file.touch_rows("n", np.array([5119], dtype=np.uint64))
        for outside in (-1, 1 << 40):
            with pytest.raises(IndexError):
                file.touch_rows("n", np.array([0, outside]))

    def test_spans(self, file: ArrayFile) -> None:
        file.touch_spans(["n"], np.array([0, 9000]), np.array([4096, 10_000]))
        file.touch_spans(["n"], np.array([], dtype=np.int64), np.array([], dtype=np.int64))
        file.touch_spans(["n"], np.array([5120]), np.array([5121]))
        with pytest.raises(IndexFormatError, match="byte 16384"):
            file.touch_spans(["n"], np.array([0, 4000]), np.array([1, 4097]))

    @pytest.mark.parametrize(("width", "row"), [(3000, 3), (9000, 1), (9000, 2), (5000, 3)])
    def test_rows_that_lie_in_several_blocks(self, tmp_path: Path, width: int, row: int) -> None:
        table = (np.arange(5 * width) % 251).astype(np.uint8).reshape(5, width)
        path = written(tmp_path / "x", {"n": table})
        for place in (row * width, row * width + width // 2, (row + 1) * width - 1):
            flip(path, BLOCK + place)
            with pytest.raises(IndexFormatError, match="was changed"):
                ArrayFile(path).touch("n", row, row + 1)
            with pytest.raises(IndexFormatError, match="was changed"):
                ArrayFile(path).touch_rows("n", np.array([row]))
            flip(path, BLOCK + place)
        file = ArrayFile(path)
        file.touch_rows("n", np.arange(5))
        np.testing.assert_array_equal(file["n"], table)

    def test_once_is_enough(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", {"n": np.arange(4096, dtype="<u4")})
        file = ArrayFile(path)
        file.touch("n", 0, 2048)
        file.touch_rows("n", np.array([3000]))
        for block in (0, 1, 2, 3):
            flip(path, BLOCK + block * BLOCK)  # a mapped file shows what is written to it
        file.touch("n", 0, 2048)
        file.touch_rows("n", np.array([1, 1500, 2500]))
        with pytest.raises(IndexFormatError, match="byte 12288"):
            file.touch("n")
        with pytest.raises(IndexFormatError, match="byte 0 "):
            file.verify()

    def test_all_at_once_is_remembered(self, tmp_path: Path) -> None:
        path = written(tmp_path / "x", {"n": np.arange(4096, dtype="<u4")})
        file = ArrayFile(path)
        file.touch("n")
        flip(path, BLOCK)
        file.touch("n", 5, 7)
        file.touch_rows("n", np.array([0]))
        assert file.read("n", 1, 3).tolist() == [1, 2]

    def test_by_many_threads(self, tmp_path: Path) -> None:
        numbers = np.arange(200_000, dtype="<u4")
        path = written(tmp_path / "x", {"n": numbers, "m": numbers})
        flip(path, BLOCK + 800 * 1024 + 5)  # in m
        file = ArrayFile(path)
        start = threading.Barrier(16)
        wrong: list[Any] = []

        def touch(seed: int) -> None:
            draw = np.random.default_rng(seed)
            start.wait()
            for _ in range(30):
                rows = draw.integers(0, len(numbers), 50)
                file.touch_rows("n", rows)
                if (file["n"][rows] != rows).any():
                    wrong.append(rows)
                first = int(rows[0])
                if file.read("n", first, first + 3000)[0] != first:
                    wrong.append(first)
                try:
                    file.touch("m")
                except IndexFormatError:
                    continue
                wrong.append("not found")

        threads = [threading.Thread(target=touch, args=(seed,)) for seed in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
