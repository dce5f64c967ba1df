"""The sample that the conformance suite runs on: chunks, queries and filters.

The metadata has every kind of value that a filter can meet; ``twin-a`` and ``twin-b`` differ only
in their ids; fields are absent here and there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from plait.types import Chunk

__all__ = ["CHUNKS", "FILTERS", "QUERIES"]

CHUNKS: Final[tuple[Chunk, ...]] = (
    Chunk(
        "Error E1042: the socket was closed by the server. Check the firewall and retry.",
        id="e1042",
        title="Error E1042",
        metadata={
            "product": "pro",
            "year": 2024,
            "rating": 4.5,
            "beta": False,
            "tags": ["network", "errors"],
            "owner": {"team": "core", "level": 2},
        },
    ),
    Chunk(
        "Error E1043: the socket timed out. Raise the timeout or check the network.",
        id="e1043",
        title="Error E1043",
        metadata={"product": "free", "year": 2023, "beta": True, "tags": ["network"]},
    ),
    Chunk(
        "You can cancel your plan at any time under Settings, Billing. Refunds take 14 days.",
        id="cancel",
        title="Cancel a plan",
        metadata={"product": "pro", "year": 2025, "rating": 3, "tags": ["billing"]},
    ),
    Chunk(
        "Refunds are paid to the card that was charged. Partial refunds are not possible.",
        id="refunds",
        title="Refunds",
        metadata={"product": "free", "year": "2024", "beta": 1, "tags": "billing"},
    ),
    Chunk(
        "Upgrade from the free plan to the pro plan without losing your settings.",
        id="upgrade",
        metadata={"product": "free", "year": 2025, "tags": [], "owner": {"team": "sales"}},
    ),
    Chunk(
        "The network settings of the pro plan list every socket and every firewall rule.",
        id="twin-a",
        metadata={"product": "pro", "year": 2022, "beta": True},
    ),
    Chunk(
        "The network settings of the pro plan list every socket and every firewall rule.",
        id="twin-b",
        metadata={"product": "pro", "year": 2022, "beta": True},
    ),
    Chunk(
        "Rückerstattungen dauern 14 Tage. Den Plan kündigen Sie in den Einstellungen.",
        id="german",
        section="Abrechnung > Erstattung",
        metadata={"lang": "de", "year": 2024.0, "owner": [{"team": "core"}, {"team": "sales"}]},
    ),
    Chunk("申请退款流程:请在设置中取消套餐。", id="chinese", metadata={"lang": "zh"}),
    Chunk("An unlabeled note about a plan.", id="plain"),
)

QUERIES: Final[tuple[str, ...]] = (
    "E1042",
    "how do I cancel my plan",
    "network socket firewall settings",
    "退款",
    "error refunds plan network settings Rückerstattungen note socket 14",
)

FILTERS: Final[tuple[Mapping[str, Any], ...]] = (
    {},
    {"product": "pro"},
    {"product": {"$ne": "pro"}},
    {"product": {"$in": ["free", "team"]}},
    {"product": {"$in": []}},
    {"product": {"$nin": ["free"]}},
    {"product": {"$exists": False}},
    {"year": 2024},
    {"year": "2024"},
    {"year": {"$gte": 2023, "$lt": 2025}},
    {"rating": {"$gt": 3}},
    {"beta": True},
    {"beta": 1},
    {"tags": "billing"},
    {"tags": {"$contains": "billing"}},
    {"owner.team": "core"},
    {"owner.level": {"$lte": 2}},
    {"$or": [{"lang": "de"}, {"product": "pro", "beta": False}]},
    {"$and": [{"product": "free"}, {"$not": {"tags": "network"}}]},
    {"$or": []},
    {"product": "nobody has this"},
)
