"""Use an installed plait that has nothing but NumPy beside it.

Run: python use_wheel.py LOOPS, with what the loops should be: compiled or numpy.
"""

import sys
import tempfile

import plait
from plait import BM25Retriever, Chunk, DenseRetriever, HashEmbedder, HybridRetriever
from plait.kernels import native

chunks = [Chunk("error E1042 socket closed"), Chunk("cats purr")]
hybrid = HybridRetriever(
    [DenseRetriever(chunks, embedder=HashEmbedder(dim=128)), BM25Retriever(chunks)]
)
result = hybrid.retrieve("E1042")
assert result[0].chunk.content == "error E1042 socket closed", result
assert abs(sum(share.value for share in result[0].contributions) - result[0].score) < 1e-9
print(result.explain())

with tempfile.TemporaryDirectory() as folder, plait.open(folder, embedder="hash(dim=64)") as kb:
    kb.add([Chunk(f"cats number {n}", id=f"{n:05}") for n in range(9000)])
    assert kb.describe()["segments"]
    assert kb.search("number 77", legs=["bm25"])[0].id == "00077"
    assert kb.verify() == ()
said = native.describe()
assert said.startswith(sys.argv[1]), said
print(said)
