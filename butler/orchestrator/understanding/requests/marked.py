"""Makes a message's requests out of the reader's marks, with all corrections in their order."""

from collections.abc import Callable, Sequence
from datetime import datetime

from butler.orchestrator.planning.plan_types import PlannerInput, PlannerOutput
from butler.orchestrator.understanding.people.addressed import ADDRESSED
from butler.orchestrator.understanding.people.corrected import rejoined
from butler.orchestrator.understanding.requests.going_on import with_whole_texts
from butler.orchestrator.understanding.requests.mending import mended
from butler.orchestrator.understanding.requests.one_act import folded
from butler.orchestrator.understanding.requests.parting import Read, parted
from butler.orchestrator.understanding.requests.reasons import without_names_in_a_reason, without_reasons
from butler.orchestrator.understanding.requests.taken_up import as_one
from butler.orchestrator.understanding.requests.weighing import weighed
from butler.understanding.reader import Request


def requests_in(
    read: Sequence[Request],
    words: str,
    context: Sequence[str],
    now: datetime,
    *,
    reader: Read,
    build: Callable[[Request], PlannerOutput],
    knows: Callable[[str], bool],
    asked: PlannerInput | None = None,
) -> tuple[Request, ...]:
    """Return the requests of a message.

    Args:
        read: The requests as the reader read them.
        words: The message.
        context: The flags of what was shown or asked before the message.
        now: Local and aware.
        reader: Reads words anew.
        build: Makes the plan or question of a request.
        knows: Whether a name belongs to somebody.
        asked: The planner's input that weighs the readings; None for an earlier message.
    """
    parts = rejoined(as_one(parted(read, reader, context), reader, context), ADDRESSED)
    if asked is not None:
        parts = tuple(weighed(one, asked) for one in parts)
    whole = without_reasons([mended(without_names_in_a_reason(one), now, knows) for one in parts])
    return with_whole_texts(folded(whole, now), words, build)
