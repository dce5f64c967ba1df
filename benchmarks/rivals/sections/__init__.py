"""The parts of the study, each with ``run(study, options)`` and results of its own."""

from rivals.sections import dense, fusing, hybrid, indexing, lexical, opening

SECTIONS = {
    "lexical": lexical,
    "dense": dense,
    "hybrid": hybrid,
    "fusing": fusing,
    "indexing": indexing,
    "opening": opening,
}
