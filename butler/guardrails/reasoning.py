"""Words the reasons of the guardrails' verdicts, each as a sentence."""

from collections.abc import Iterable, Mapping

from butler.contract.reasons import Reason, ReasonCode, own_words
from butler.contract.speech import phrase, say, say_number

SIGNS: Mapping[str, str] = {
    "override": phrase("it wants earlier instructions to be ignored"),
    "override_loosely": phrase("it wants something to be ignored"),
    "new_orders": phrase("it gives new instructions"),
    "addressee": phrase("it speaks to an assistant"),
    "approval": phrase("it claims that you have approved something"),
    "approval_loosely": phrase("it claims that something was approved"),
    "unasked": phrase("it wants things done without asking"),
    "secrecy": phrase("it wants something kept from you"),
    "leak": phrase("it asks for hidden instructions"),
    "template": phrase("it imitates the marks of a model's own messages"),
    "role": phrase("it imitates the marks of a model's own messages"),
    "marker": phrase("it poses as a message of the system"),
    "turns": phrase("it makes up a conversation"),
    "persona": phrase("it wants an assistant to be something else"),
    "unbound": phrase("it speaks of having no limits"),
    "standing": phrase("it wants to hold from now on"),
    "memory": phrase("it wants to be remembered as a rule"),
    "for_ever": phrase("it wants to be remembered for ever"),
    "put_aside": phrase("it wants something to be ignored"),
    "echo": phrase("it says how the answer has to read"),
    "tool": phrase("it names a tool to be used"),
    "decode": phrase("it wants something to be decoded and obeyed"),
    "hijack": phrase("it puts its own task before yours"),
    "authority": phrase("it claims to be somebody in charge"),
    "behalf": phrase("it speaks of acting for you"),
    "instead": phrase("it wants something else done instead"),
    "concealed": phrase("it holds text that is not meant to be seen"),
    "redirected": phrase("it wants money or mail to go elsewhere"),
    "beacon": phrase("it has a link that would carry what was read"),
    "smuggled": phrase("it brings code to be used"),
    "todo": phrase("it poses as a task of yours"),
    "drain": phrase("it wants everything of a kind"),
    "hidden": phrase("it holds writing that cannot be seen"),
}
"""The kinds of signs of instructions to an assistant."""
_NAMED = frozenset(
    {
        phrase("email"),
        phrase("phone"),
        phrase("card"),
        phrase("iban"),
        phrase("ip"),
        phrase("id"),
        phrase("passport"),
        phrase("birth date"),
        phrase("plate"),
        phrase("licence"),
        phrase("password"),
        phrase("otp code"),
        phrase("secret"),
        phrase("domain name"),
    }
)
_SENTENCES: Mapping[ReasonCode, str] = {
    ReasonCode.LOOKS_LIKE_INSTRUCTIONS: phrase("It looks like instructions to an assistant: {signs}."),
    ReasonCode.HOLDS_PERSONAL: phrase("It holds {kinds}."),
    ReasonCode.HOLDS_SECRET: phrase("It holds a secret: {kinds}."),
    ReasonCode.HOLDS_OTHERS: phrase("It holds what may belong to somebody else: {kinds}."),
    ReasonCode.LEADS_ELSEWHERE: phrase("It leads to where nothing that was shown leads."),
    ReasonCode.HARMFUL_COMMANDS: phrase("It holds commands that do harm where they are run."),
    ReasonCode.WORDS_OF_HATE: phrase("It holds words of hate."),
    ReasonCode.PARTLY_WITHHELD: phrase("It holds so much of it that the rest is withheld."),
    ReasonCode.PARTLY_LOOKED_AT: phrase("Only the first {count} characters were looked at."),
    ReasonCode.INPUT_UNCHECKED: phrase("It could not be checked for instructions to an assistant."),
}
GUARD_CODES = frozenset(_SENTENCES)


def sentence(found: Reason) -> str:
    """Return a reason in the owner's language, as a sentence."""
    values: dict[str, str] = {}
    if "signs" in found.params:
        values["signs"] = "; ".join(say(SIGNS[kind]) for kind in found.params["signs"]) or say("much in it together")
    if "kinds" in found.params:
        values["kinds"] = ", ".join(say(name) if name in _NAMED else name for name in found.params["kinds"])
    if "count" in found.params:
        values["count"] = say_number(found.params["count"])
    return say(_SENTENCES[found.code], **values)


def verdict_in_words(found: Iterable[Reason]) -> str:
    """Return the reasons of a verdict in the owner's language, a sentence each."""
    return " ".join(own_words(one) if one.code is ReasonCode.WORDS else sentence(one) for one in found)
