"""The RAG service: plan, retrieve, rerank, assemble, with a trace of every step.

``service`` is the whole, ``parts`` what it is made of, ``builder`` puts it together word by word.
``request`` is what it is asked, ``result`` and ``answer`` what it returns. ``waiting`` and
``refining`` are the stages between, ``calling`` is how they ask and what a failure means, ``state``
is what they hand on, ``flow`` leads a request through them, ``recording`` notes what each did,
``trace`` holds it. ``driving`` makes their calls, from sync or from async code. ``sources`` says
what is searched, ``prompt`` what a model is told.
"""

from plait.pipeline.answer import RagAnswer
from plait.pipeline.builder import RagBuilder, rag
from plait.pipeline.prompt import AnswerPrompt
from plait.pipeline.request import RagRequest
from plait.pipeline.result import RagResult
from plait.pipeline.service import Rag
from plait.pipeline.trace import StageReport, Trace

__all__ = [
    "AnswerPrompt",
    "Rag",
    "RagAnswer",
    "RagBuilder",
    "RagRequest",
    "RagResult",
    "StageReport",
    "Trace",
    "rag",
]
