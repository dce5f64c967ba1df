"""diagnose: what is wrong with the legs and their fusion, without judgments or with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from plait.errors import ConfigurationError
from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.case import Case
from plait.evaluation.diagnosis.confidence import lost_hits
from plait.evaluation.diagnosis.correlation import opposite_order
from plait.evaluation.diagnosis.duplicates import duplicate_hits, near_duplicates
from plait.evaluation.diagnosis.failing import failing_legs
from plait.evaluation.diagnosis.finding import Finding
from plait.evaluation.diagnosis.flatness import capped_scores, flat_scores
from plait.evaluation.diagnosis.identity import identity
from plait.evaluation.diagnosis.influence import dominant_legs, idle_legs
from plait.evaluation.diagnosis.judged import fusion_or_leg, out_of_reach
from plait.evaluation.diagnosis.legs import LegFigures
from plait.evaluation.diagnosis.overlap import overlap_of_legs
from plait.evaluation.diagnosis.pairs import Pair
from plait.evaluation.diagnosis.ranges import out_of_range, unknown_floor, unusable_scores
from plait.evaluation.diagnosis.scope import scope
from plait.evaluation.diagnosis.text import lines
from plait.evaluation.diagnosis.unmatched import empty_answers, unknown_words
from plait.evaluation.diagnosis.window import small_window
from plait.evaluation.qrels import Qrels
from plait.evaluation.recording import Recording
from plait.fusion import Fusion, Weights, parse_fusion, resolve_weights

__all__ = ["Diagnosis", "diagnose"]

# In the order in which one of them explains the next; within a severity they are told so.
_KINDS: tuple[Callable[[Case], Iterable[Finding]], ...] = (
    scope,
    failing_legs,
    identity,
    unknown_words,
    empty_answers,
    out_of_range,
    opposite_order,
    lost_hits,
    fusion_or_leg,
    idle_legs,
    dominant_legs,
    overlap_of_legs,
    flat_scores,
    capped_scores,
    unusable_scores,
    unknown_floor,
    duplicate_hits,
    near_duplicates,
    small_window,
    out_of_reach,
)
_ORDER = ("problem", "warning", "info")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, and the figures behind it. Made by ``diagnose``.

    Attributes:
        findings: Worst first; empty if there is nothing to say.
        legs: What each leg does.
        pairs: How much each two legs that take part in the fusion agree.
        queries: How many queries were looked at.
        fetch_k: Candidates asked of each leg.
        fusion: Text form of the fusion that was looked at.
    """

    findings: tuple[Finding, ...]
    legs: tuple[LegFigures, ...]
    pairs: tuple[Pair, ...]
    queries: int
    fetch_k: int
    fusion: str

    @property
    def healthy(self) -> bool:
        """Whether nothing worse than an info was found."""
        return all(finding.severity == "info" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "queries": self.queries,
            "fetch_k": self.fetch_k,
            "fusion": self.fusion,
            "findings": [finding.to_dict() for finding in self.findings],
            "legs": [leg.to_dict() for leg in self.legs],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def text(self) -> str:
        """Everything for a reader, as plain text."""
        return "\n".join(lines(self))

    def __str__(self) -> str:
        return self.text()


def diagnose(
    recording: Recording,
    *,
    qrels: Qrels | None = None,
    fusion: Fusion | str | None = None,
    weights: Weights | None = None,
    background: Background | None = None,
) -> Diagnosis:
    """Look for what is wrong with the legs and their fusion; no judgments are needed.

    Every threshold is written down, with its reason, in the module of its kind of finding. Shares
    of queries are judged from ten queries on. Real, varied queries tell most; a hundred are plenty.

    Args:
        recording: What the legs returned; see ``record``.
        qrels: Judgments, to see also where the fusion helps or hurts. Topics without are left out
            there.
        fusion: The fusion to look at, or its text form; by default the one recorded.
        weights: By position, or by leg name for those that are to be others than recorded.
        background: What the collection knows beside; with it, texts that repeat and words that no
            chunk has are seen too.

    Returns:
        The findings, worst first. A leg that is healthy is not mentioned.

    Raises:
        ConfigurationError: A recording without topics, or one that does not say its fusion while
            none is given; bad weights; judgments of none of the topics.

    Example:
        >>> from plait.evaluation import Topics, record
        >>> from plait.hybrid import HybridRetriever
        >>> legs = {"dense": lambda text: ["v_1", "v_2"], "bm25": lambda text: ["s_2", "s_9"]}
        >>> topics = Topics({str(number): f"question {number}" for number in range(20)})
        >>> diagnosis = diagnose(record(HybridRetriever(legs), topics))
        >>> print(diagnosis.findings[0].kind, diagnosis.findings[0].severity)
        identity problem
    """
    if not recording.rankings:
        raise ConfigurationError("the recording has no topics; record at least one")
    if qrels is not None and not any(qrels.get(topic) for topic in recording.rankings):
        raise ConfigurationError(
            f"no topic of the recording has judgments: its ids are such as "
            f"{next(iter(recording.rankings))!r}, those of the judgments such as "
            f"{next(iter(qrels), None)!r}, and they must agree"
        )
    case = Case(
        recording,
        _fusion(recording, fusion),
        _weights(recording, weights),
        qrels=qrels,
        background=background or Background(),
    )
    found = [finding for look in _KINDS for finding in look(case)]
    found.sort(key=lambda finding: _ORDER.index(finding.severity))
    return Diagnosis(
        findings=tuple(found),
        legs=tuple(LegFigures.of(case, leg) for leg in case.legs),
        pairs=case.pairs,
        queries=len(recording.rankings),
        fetch_k=recording.fetch_k,
        fusion=str(case.fusion),
    )


def _fusion(recording: Recording, given: Fusion | str | None) -> Fusion:
    fusion = recording.origin.get("fusion") if given is None else given
    if fusion is None:
        raise ConfigurationError("the recording does not say how it is fused; pass fusion=")
    return parse_fusion(fusion) if isinstance(fusion, str) else fusion


def _weights(recording: Recording, given: Weights | None) -> Mapping[str, float]:
    recorded = recording.origin.get("weights")
    weights = recorded if given is None else given
    if isinstance(given, Mapping) and recorded is not None:
        weights = {**recorded, **given}
    return dict(zip(recording.legs, resolve_weights(weights, recording.legs), strict=True))
