"""Dense retrieval: chunks ranked by how close their vectors are to the query's."""

from plait.dense.calibration import Calibration, calibrate
from plait.dense.hnsw import HnswIndex
from plait.dense.index import FlatIndex, VectorIndex
from plait.dense.memory import MemoryVectors
from plait.dense.metric import COSINE, DOT, EUCLIDEAN, Metric, parse_metric
from plait.dense.packed import PackedVectors
from plait.dense.part import DensePart
from plait.dense.retriever import DenseRetriever
from plait.dense.vectors import check_query, check_rows
from plait.dense.view import DenseView

__all__ = [
    "COSINE",
    "DOT",
    "EUCLIDEAN",
    "Calibration",
    "DensePart",
    "DenseRetriever",
    "DenseView",
    "FlatIndex",
    "HnswIndex",
    "MemoryVectors",
    "Metric",
    "PackedVectors",
    "VectorIndex",
    "calibrate",
    "check_query",
    "check_rows",
    "parse_metric",
]
