from plait.types import Chunk, Hit


def test_id_is_that_of_the_chunk() -> None:
    assert Hit(Chunk("text", id="a"), 1.0, rank=1).id == "a"
    assert Hit(Chunk("text"), None, rank=1).id is None


def test_hits_are_hashable_also_with_sources() -> None:
    one = Hit(Chunk("text"), 1.0, rank=1, sources={"bm25": {"lang": "en"}})
    other = Hit(Chunk("text"), 1.0, rank=1)
    assert len({one, other}) == 2
    assert other.sources == {}
