"""Detects yes and no, by plain words of four languages. A hedged answer is neither."""

import re
from collections.abc import Iterator

_GREETING = r"(?:(?:hi|hello|hey|dear|hallo|liebe[rs]?|bonjour|salut|hola)\b[^,!.\n]{0,30}[,!.]\s*)?"
_YES = re.compile(
    rf"^{_GREETING}(?:yes|yep|yeah|yup|sure|of course|certainly|absolutely|definitely|gladly|with pleasure|agreed|okay|"
    r"ok|sounds good|works for me|that works|ja|jep|klar|gern|gerne|natürlich|selbstverständlich|einverstanden|"
    r"(?:das )?passt|oui|bien sûr|volontiers|d['’]accord|avec plaisir|sí|claro|por supuesto|de acuerdo|vale|"
    r"con gusto)\b(?! (?:and|und|et|y) (?:no|nein|non)\b)|"
    r"\b(?:count me in|i['’]m in|i['’]ll (?:come|be there)|i can (?:come|make it)|ich bin dabei|ich komme|"
    r"je viens|je serai là|iré|cuenta conmigo)\b(?! (?:nicht|pas)\b)",
    re.IGNORECASE,
)
_NO = re.compile(
    rf"^{_GREETING}(?:no(?! (?:problem|worries|doubt|idea|matter)\b)|nope|unfortunately|i['’]m afraid|nein|nee|leider|"
    r"non|malheureusement|lamentablemente|por desgracia)\b|"
    r"\b(?:can(?:['’]t|not) (?:come|make|do)|won['’]t (?:come|be able|make|work)|not able to|"
    r"kann (?:leider )?nicht|komme (?:leider )?nicht|schaffe (?:es|das) (?:leider )?nicht|"
    r"je ne (?:peux|pourrai|viens) pas|no (?:puedo|podré|iré))\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|not sure|let me check|might|unless|depends|if|yes and no|vielleicht|mal sehen|wenn|"
    r"falls|jein|eventuell|peut-être|ça dépend|quizás?|tal vez|depende|no sé)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"^\s*>|^(?:On|Am|Le|El)\b.{0,120}(?:wrote|schrieb\b.{0,60}|a écrit|escribió)\s*:\s*$|"
    r"^\s*-{2,} ?(?:original message|forwarded message|(?:original|weitergeleitete |ursprüngliche )nachricht|"
    r"message (?:d['’]origine|transféré)|mensaje (?:original|reenviado)) ?-{2,}|"
    r"^(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message transféré|"
    r"inicio del mensaje reenviado)\s*:",
    re.IGNORECASE,
)


def own_lines(text: str) -> str:
    """Return the writer's own lines, without quoted ones."""
    lines: list[str] = []
    for line in text.splitlines():
        if _QUOTED.search(line):
            break
        lines.append(line)
    return "\n".join(lines)


def answers(sentence: str) -> Iterator[bool]:
    """Yield what one sentence says: yes, no, both if it hedges, nothing if it is about something else."""
    sentence = sentence.strip()
    says_yes, says_no = _YES.search(sentence) is not None, _NO.search(sentence) is not None
    if says_yes or (says_no and _HEDGE.search(sentence)):
        yield True
    if says_no or (says_yes and _HEDGE.search(sentence)):
        yield False
