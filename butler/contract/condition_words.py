"""The facts of events and the conditions of automations in words, as cards and lists show them."""

from collections.abc import Mapping

from butler.contract.events import Compare, Condition, Fact
from butler.contract.speech import phrase, say, say_list

COMPARED: Mapping[Compare, str] = {
    Compare.IS: phrase("{fact} is {value}"),
    Compare.IS_NOT: phrase("{fact} is not {value}"),
    Compare.CONTAINS: phrase("{fact} contains {value}"),
    Compare.LACKS: phrase("{fact} does not contain {value}"),
    Compare.STARTS_WITH: phrase("{fact} begins with {value}"),
    Compare.NOT_STARTS_WITH: phrase("{fact} does not begin with {value}"),
    Compare.ENDS_WITH: phrase("{fact} ends with {value}"),
    Compare.NOT_ENDS_WITH: phrase("{fact} does not end with {value}"),
    Compare.ANY_OF: phrase("{fact} is one of {value}"),
    Compare.NONE_OF: phrase("{fact} is none of {value}"),
    Compare.AT_LEAST: phrase("{fact} is at least {value}"),
    Compare.AT_MOST: phrase("{fact} is at most {value}"),
}
PLACES: Mapping[str, str] = {
    "sender_name": phrase("who wrote"),
    "sender": phrase("the address"),
    "contact": phrase("what you call them"),
    "subject": phrase("the subject"),
    "text": phrase("the text"),
    "chat_title": phrase("the chat"),
    "title": phrase("the title"),
    "name": phrase("the name"),
    "state": phrase("how it stands"),
    "summary": phrase("what it says"),
    "tool": phrase("what was done"),
    "outcome": phrase("how it ended"),
    "failed": phrase("how many failed"),
    "total": phrase("how many there were"),
    "minutes": phrase("how many"),
}
"""The words for a fact's placeholder."""
_NAMES: Mapping[str, str] = {
    **PLACES,
    "sender_name": phrase("the sender's name"),
    "sender": phrase("the sender's address"),
    "contact": phrase("the sender"),
    "domain": phrase("the sender's domain"),
    "account": phrase("the account"),
    "identity": phrase("whose account it is"),
    "files": phrase("the number of files"),
    "chat": phrase("the chat's address"),
    "kind": phrase("the kind of chat"),
    "decision": phrase("the decision"),
    "place": phrase("the place"),
    "organizer": phrase("the organiser's address"),
    "guests": phrase("the number of guests"),
    "minutes": phrase("the number of minutes"),
    "change": phrase("what happened"),
    "board": phrase("the board"),
    "list": phrase("the list"),
    "by": phrase("who did it"),
    "source": phrase("where it comes from"),
    "severity": phrase("how bad it is"),
    "instance": phrase("the server"),
    "room": phrase("the room"),
    "person": phrase("the person"),
    "endpoint": phrase("the webhook"),
    "channel": phrase("the channel"),
    "automation": phrase("the automation"),
    **dict.fromkeys(("ref", "approval", "run", "reminder", "event", "card", "file"), phrase("its id")),
}
"""What a fact is called in a condition."""
_WHETHER: Mapping[str, str] = {
    "answer": phrase("it is an answer"),
    "list": phrase("a list or a machine sent it"),
    "proved": phrase("it is proved who sent it"),
    "late": phrase("it comes late"),
    "all_day": phrase("it takes the whole day"),
    "own": phrase("I did it for you"),
}
"""What holds or not, for the facts that are yes or no."""


def fact_text(value: Fact) -> str:
    """Return a fact as it appears in a text."""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    return str(value)


def condition_words(one: Condition) -> str:
    """Return a condition in words: `the sender's name does not contain “shop”`."""
    value = one.value
    if isinstance(value, bool):
        return f"{say(_WHETHER[one.fact])}: {fact_text(value)}"
    fact = say(_NAMES[one.fact])
    if isinstance(value, tuple):
        return say(COMPARED[one.compare], fact=fact, value=say_list([f"“{text}”" for text in value]))
    if value == "":
        return say("{fact} is empty", fact=fact)
    shown = f"“{value}”" if isinstance(value, str) else fact_text(value)
    return say(COMPARED[one.compare], fact=fact, value=shown)
