"""Run the legs of a query together: threads, event loops, deadlines, retries. The only such place.

``workers`` holds daemon threads, ``loop`` plait's own event loop, ``breaker`` the circuit breaker,
``runner`` one leg's calls with their retries, ``gather`` all the legs of one query, ``forking``
what starts anew in a forked child.
"""

from plait.execution.breaker import Breaker
from plait.execution.forking import start_anew_after_fork
from plait.execution.gather import Answer, Call, agather, gather
from plait.execution.loop import OwnLoop, run_coroutine, run_in_thread, wait_for
from plait.execution.runner import Runner
from plait.execution.workers import Workers

__all__ = [
    "Answer",
    "Breaker",
    "Call",
    "OwnLoop",
    "Runner",
    "Workers",
    "agather",
    "gather",
    "run_coroutine",
    "run_in_thread",
    "start_anew_after_fork",
    "wait_for",
]
