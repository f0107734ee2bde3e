"""Lists the experts for the owner."""

from butler.contract.speech import phrase, say
from butler.orchestrator.experts.expert import Experts

INTRODUCTION = phrase("Who knows more of one thing and has fewer tools. Write the name first, such as “@{name} …”.")
NOBODY = phrase("There are no experts here.")


def experts_text(experts: Experts) -> str:
    """Return a line for each expert."""
    if not experts.all:
        return say(NOBODY)
    lines = [f"• @{one.name}: {say(one.description)}" for one in experts.all]
    return "\n".join([say(INTRODUCTION, name=experts.all[0].name), "", *lines])
