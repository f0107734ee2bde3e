"""Words for waiting for an answer, and for its absence."""

import re

from butler.contract.speech import phrase

WHOSE = phrase("Whose answer do you wait for?")
SILENT = re.compile(
    r"\b(?:\w+n['’]t|not|no (?:answer|reply|response|word)|nothing|silent|nobody|unless|otherwise|nicht|nix|"
    r"nichts|keine?n?|schweigt|"
    r"sonst|niemand|pas|rien|sans|muet|toujours aucune?|personne|sinon|no|nada|nadie|sin|ninguna)\b",
    re.IGNORECASE,
)
"""Words for the absence of an answer, which the owner wants to hear of."""
ANSWERS = re.compile(
    r"answer|repl(?:y|ie)|respon|\bback\b|hear from|in touch|antwort|meldet|melden|rührt|zurück|reagier|"
    r"r[ée]pon|contest|respuesta|writes? again|wieder schreib|schreibt wieder|r[ée][ée]crit|vuelv[ae] a escrib",
    re.IGNORECASE,
)
"""Words for an answer, as opposed to anything that somebody writes."""
TOLD = re.compile(
    r"\b(?:tell|let me know|ping|notify|shout|alert|inform|warn|sag|bescheid|meld|benachrichtig\w*|alarm|"
    r"préviens|avertis|dis|fais[- ]moi signe|alerte|avise|av[ií]sa\w*|avisas|dime|dices|grítame|d[ií]me\w*)\b",
    re.IGNORECASE,
)
"""Words for wanting to be told of an answer."""
