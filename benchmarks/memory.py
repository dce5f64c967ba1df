"""How much memory writing and asking take, whatever the size of the collection.

    python benchmarks/memory.py --work WORK

So much text is streamed into a collection in a process of its own, words alone, in chunks of about
1.5 KB; then another process opens it and asks a thousand queries. What is written into memory that
no file backs (RssAnon) is private to the process; pages of mapped files count in the resident
memory (VmRSS), and the system takes them back when it needs them. Linux only.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpora import zipf_documents, zipf_queries
from machine import machine

import plait
from plait.text import Analyzer

HERE = Path(__file__).resolve().parent
TOGETHER = 5  # documents of the corpus in a chunk
QUERIES = 1000
GIGABYTE = 10**9
STATUS = Path("/proc/self/status")
KINDS = {"RssAnon": "private_mb", "VmRSS": "resident_mb"}
EVERY = 0.02  # seconds


def texts(count: int) -> Iterator[str]:
    """So many bytes of text, the last chunk whole."""
    documents = zipf_documents(10**12)
    while count > 0:
        text = " ".join(" ".join(next(documents)) for _ in range(TOGETHER))
        count -= len(text)
        yield text


def memory() -> dict[str, float]:
    """What the process takes now, in MB of a million bytes."""
    fields = (line.partition(":") for line in STATUS.read_text().splitlines())
    return {
        KINDS[name]: int(value.split()[0]) * 1024 / 1e6
        for name, _, value in fields
        if name in KINDS
    }


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """The most that the process takes meanwhile."""
    most = memory()
    done = threading.Event()

    def look() -> None:
        while not done.wait(EVERY):
            for kind, now in memory().items():
                most[kind] = max(most[kind], now)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        done.set()
        thread.join()


def rounded(figures: dict[str, float]) -> dict[str, int]:
    return {name: round(value) for name, value in figures.items()}


def write(folder: Path) -> dict[str, Any]:
    """Stream the lines of the standard input into a collection."""
    before = memory()
    started = time.perf_counter()
    count = size = 0

    def chunks() -> Iterator[plait.Chunk]:
        nonlocal count, size
        for line in sys.stdin:
            text = line.rstrip("\n")
            yield plait.Chunk(id=f"chunk-{count:09}", content=text)
            count += 1
            size += len(text)

    with watched() as most:
        with plait.open(folder, embedder=None, analyzer=Analyzer(tokenizer="whitespace")) as kb:
            kb.add(chunks())
        writing = rounded(most)
    return {
        "gigabytes": round(size / GIGABYTE, 4),
        "chunks": count,
        "seconds": round(time.perf_counter() - started, 1),
        "start": rounded(before),
        "most": writing,
        "disk_mb": round(sum(path.stat().st_size for path in folder.rglob("*.*")) / 1e6),
    }


def ask(folder: Path) -> dict[str, Any]:
    """Ask a collection; what the process holds after that."""
    before = memory()
    with plait.open(folder, embedder=None) as kb:
        found = sum(len(kb.search(query, top_k=10).hits) for query in zipf_queries(QUERIES))
        return {
            "queries": QUERIES,
            "hits": found,
            "start": rounded(before),
            "after": rounded(memory()),
        }


def apart(what: str, folder: Path, lines: Iterator[str]) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--do", what, "--work", str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        for line in lines:
            worker.stdin.write(line + "\n")
        worker.stdin.close()
        said = worker.stdout.read()
    if worker.returncode:
        raise SystemExit(worker.returncode)
    found: dict[str, Any] = json.loads(said)
    return found


def measure(gigabytes: float, work: Path) -> dict[str, Any]:
    folder = work / "memory" / "kb"
    shutil.rmtree(folder.parent, ignore_errors=True)
    folder.parent.mkdir(parents=True)
    try:
        written = apart("write", folder, texts(round(gigabytes * GIGABYTE)))
        return {"written": written, "asked": apart("ask", folder, iter(()))}
    finally:
        shutil.rmtree(folder.parent)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[1.0, 3.0])
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--do", choices=["write", "ask"], help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.do:
        print(json.dumps({"write": write, "ask": ask}[given.do](given.work)))
        return
    rows = []
    for gigabytes in given.gigabytes:
        rows.append(measure(gigabytes, given.work))
        print(json.dumps(rows[-1]), file=sys.stderr)
    result = {"rows": rows, "machine": machine()}
    (given.results / "memory.json").write_text(
        json.dumps(result, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
