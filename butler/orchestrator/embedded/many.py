"""Words for many mails, and the question which of them are meant."""

from butler.contract.speech import phrase
from butler.orchestrator.embedded.lexer import phrases

NOUN = phrases("(mails|emails|e-mails|mail|email|e-mail)", "(everything|all|anything|stuff|those|ones|messages)")
NEWSLETTERS = phrases(
    "[the|my] (newsletters|promotions|promos|offers|ads)",
    "[the|my] (newsletter|promotion|marketing) (mails|emails|e-mails|mail|email)",
)
TABS = {"social": "social", "forum": "forums", "forums": "forums", "updates": "updates"}
WHICH = phrase("Which mails do you mean? Say whose, about what, or how old, like “archive all mails from Anna”.")
