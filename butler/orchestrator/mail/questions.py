"""Answers a question above a forwarded mail with that mail's own sentences, word for word. Nothing is done about it."""

import re

QUESTION = re.compile(r"\?|^\s*(?:what|when|where|who|how|which|is|are|does|did|can|will)\b", re.IGNORECASE)
REQUEST = re.compile(r"(?i)\s*(?:please|can you|could you|will you|would you)\b")
WANTS = re.compile(
    r"(?i)^\W*what (?:does|do|did|is|are) \S+(?: \S+)? (?:want|need|ask|expect|after|asking|mean|say|about)\b"
)
"""Questions about what somebody wants."""
ASKS = re.compile(
    r"(?i)\?\s*$|\b(?:please|could you|can you|would you|let (?:me|us) know|tell (?:me|us)|i need|we need)\b"
)
KINDS = {
    "when": re.compile(
        r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?(?:am|pm)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\btomorrow\b|\btoday\b"
        r"|\bnoon\b|\b\d{1,2}\.?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b\d{4}-\d{2}-\d{2}\b",
        re.IGNORECASE,
    ),
    "how much": re.compile(r"[€$£]\s?\d|\d\s?(?:€|EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b", re.IGNORECASE),
    "how many": re.compile(r"\b\d+\b"),
}
SHORT = 2
STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can did do does for from had has have how i in is it me my of on or our please that "
        "the this to was we what when where which who will with you your much many time there about any could he her "
        "him his mail email message not say says said she should tell them they us would know",
    )
)


def is_question(words: str) -> bool:
    """Return whether the words ask to know something."""
    return bool(QUESTION.search(words)) and not REQUEST.match(words)


def sentences_about(question: str, text: str, most: int = 2) -> list[str]:
    """Return up to `most` sentences of a text that best fit a question, word for word; none if none fits."""
    sentences = _sentences(text)
    if WANTS.match(question) and (asked := [one for one in sentences if ASKS.search(one)]):
        return asked[:most]
    wanted = {w for w in re.findall(r"\w+", question.casefold()) if w not in STOP and len(w) > SHORT}
    kinds = [pattern for name, pattern in KINDS.items() if name in question.casefold()]
    if re.search(r"(?i)\bwhat time\b|\bwhat day\b", question):
        kinds.append(KINDS["when"])
    scored: list[tuple[float, int, str]] = []
    for position, sentence in enumerate(sentences):
        if sentence.rstrip("\"'”’») ").endswith("?"):
            continue
        words = set(re.findall(r"\w+", sentence.casefold()))
        score = len(wanted & words) + 2.0 * any(kind.search(sentence) for kind in kinds)
        if score >= (2.0 if kinds else 1.0):
            scored.append((-score, position, sentence))
    best = sorted(scored)[:most]
    return [s for score, _, s in sorted(best, key=lambda b: b[1]) if score <= best[0][0] + 1]


def _sentences(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    body = [
        line.lstrip("> ")
        for line in lines
        if not re.match(r"(?i)(?:-{2,}|>*\s*(?:from|to|date|sent|subject|cc):)", line)
    ]
    joined = "\n".join(body)
    return [" ".join(s.split()) for s in re.split(r"(?<=[.!?])\s+|\n\s*\n", joined) if s.strip()]
