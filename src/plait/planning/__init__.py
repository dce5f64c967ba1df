"""Planning: in which ways a question is put to the retrievers, and what each way weighs.

``planner`` is what all have in common, ``model_planner`` what those have that ask a language model:
``rewriting``, ``expanding`` and ``hyde``. ``prompts`` holds what is asked, ``history`` the
conversation before; ``reading`` and ``json_texts`` find the texts in an answer, ``variants`` judges
and merges them, ``parse`` reads text forms.
"""

from plait.planning.expanding import Decompose, MultiQuery
from plait.planning.history import HistoryLike, Message, as_history
from plait.planning.hyde import Hyde
from plait.planning.model_planner import ModelPlanner
from plait.planning.parse import as_planner, parse_planner, planner_names
from plait.planning.planner import NoPlanner, Planned, Planner
from plait.planning.prompts import Prompt
from plait.planning.rewriting import Rewrite, StepBack
from plait.planning.variants import merged

__all__ = [
    "Decompose",
    "HistoryLike",
    "Hyde",
    "Message",
    "ModelPlanner",
    "MultiQuery",
    "NoPlanner",
    "Planned",
    "Planner",
    "Prompt",
    "Rewrite",
    "StepBack",
    "as_history",
    "as_planner",
    "merged",
    "parse_planner",
    "planner_names",
]
