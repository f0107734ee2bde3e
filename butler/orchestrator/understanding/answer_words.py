"""Words by which an answer is waited for, or said not to have come."""

import re

from butler.contract.speech import phrase

WHOSE = phrase("Whose answer do you wait for?")
SILENT = re.compile(
    r"\b(?:\w+n['’]t|not|no (?:answer|reply|response|word)|nothing|silent|nobody|unless|otherwise|nicht|nix|"
    r"nichts|keine?n?|schweigt|"
    r"sonst|niemand|pas|rien|sans|muet|toujours aucune?|personne|sinon|no|nada|nadie|sin|ninguna)\b",
    re.IGNORECASE,
)
"""That no answer comes is what is to be told."""
ANSWERS = re.compile(
    r"answer|repl(?:y|ie)|respon|\bback\b|hear from|in touch|antwort|meldet|melden|rührt|zurück|reagier|"
    r"r[ée]pon|contest|respuesta|writes? again|wieder schreib|schreibt wieder|r[ée][ée]crit|vuelv[ae] a escrib",
    re.IGNORECASE,
)
"""That an answer is waited for, and not whatever somebody writes."""
