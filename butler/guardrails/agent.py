"""The guardrails agent: checks an incoming or outgoing text, and reports what is wrong with it, where and why.

A verdict is a hint. No safety guarantee depends on it: the policy, the labels and the approvals work without it.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from butler.contract.reasons import Reason, ReasonCode, reason
from butler.contract.speech import phrase, say
from butler.guardrails.credentials import credentials
from butler.guardrails.folding import Folded, folded
from butler.guardrails.guard import GuardrailsInput, GuardrailsOutput, GuardSpan
from butler.guardrails.injection import KEPT, Suspicion, injection_patterns, suspicion_of
from butler.guardrails.kinds import CODE, DOMAIN, HATE, INJECTION, LINK, SECRETS
from butler.guardrails.output import Outgoing, unwanted
from butler.guardrails.patterns import Look, Match, PatternSet
from butler.guardrails.pii import pii_patterns, spans_of, without_links
from butler.guardrails.reading import patterns_of
from butler.guardrails.reasoning import SIGNS, sentence
from butler.guardrails.redaction import cut, placeholder_kind
from config.agents import GuardrailsSettings

MOST = 1_000_000
"""Code points that are checked; the rest is withheld."""
NOTHING = phrase("Nothing was found.")
FINDINGS = 24
"""Findings of one pattern in a text; after this many, the rest of the text is withheld."""
Risk = Literal["injection", "pii", "hate_speech", "malicious_code", "none"]


class Guardrails:
    """Implements `butler.contract.agent_ports.Guard`. Needs only its settings; loads its patterns on first use.

    A check's metadata may say more. For incoming texts: `from: "owner"` for the owner's own words, which may give
    orders, so that only plain attacks count. For outgoing ones: `recipients`, `known_links`, `owners_words` (see
    `Outgoing`).
    """

    def __init__(self, settings: GuardrailsSettings) -> None:
        self._settings = settings

    def check(self, given: GuardrailsInput) -> GuardrailsOutput:
        """Check a text. Never raise because of its content."""
        if not self._settings.enabled:
            return _verdict(given.content, [], "none", (), is_safe=True, otherwise=say("Guardrails are switched off."))
        seen = folded(given.content[:MOST])
        look = all_patterns().look(seen.text)
        if given.check_type == "output_safety":
            return self._of_output(given, seen, look)
        suspicion = suspicion_of(seen, look)
        if not suspicion.score and not _tells(look.hits):
            return _verdict(given.content, [], "none", (), is_safe=True, otherwise=NOTHING)
        matches = look.find(_personal(), FINDINGS)
        verdict = _of_input(given, spans_of(seen, matches), _harm(seen, look, FINDINGS), suspicion)
        return _withheld(verdict, given.content, _end_of(seen, matches))

    def _of_output(self, given: GuardrailsInput, seen: Folded, look: Look) -> GuardrailsOutput:
        outgoing = Outgoing.of(given.metadata, self._settings.known_links)
        return _of_output(given, outgoing, spans_of(seen, look.find(_personal())), _harm(seen, look))


def _harm(seen: Folded, look: Look, most: int | None = None) -> dict[str, list[GuardSpan]]:
    """Return the spans of harmful text, by kind."""
    return {
        kind: spans_of(seen, look.find(ranks, most))
        for kind, ranks in _harmful().items()
        if not ranks.isdisjoint(look.hits)
    }


def _end_of(seen: Folded, matches: Sequence[Match]) -> int | None:
    """Return where the check stopped because a pattern reached its limit of findings; links do not count."""
    if len(matches) < FINDINGS:
        return None
    counts = Counter(match.rank for match in matches if match.pattern.kind != DOMAIN)
    full = {rank for rank, count in counts.items() if count >= FINDINGS}
    ends = [max(match.end for match in matches if match.rank == rank) for rank in full]
    return seen.spans([(0, min(ends))])[0][1] if ends else None


def _withheld(verdict: GuardrailsOutput, content: str, end: int | None) -> GuardrailsOutput:
    """Return a verdict that withholds the rest of a text with too many findings."""
    if end is None:
        return verdict
    kept = [span for span in verdict.spans if span.end <= end]
    sanitized = cut(content[:end], without_links(_apart(kept)))
    withheld = Reason(ReasonCode.PARTLY_WITHHELD)
    reasoning = f"{verdict.reasoning} {sentence(withheld)}"
    data = {"reasoning": reasoning, "reasons": [*verdict.reasons, withheld]}
    return verdict.model_copy(update={"sanitized_content": sanitized, **data})


def prepare() -> None:
    """Load the patterns, so that the first text does not wait for them."""
    all_patterns().look("")


@lru_cache(maxsize=1)
def all_patterns() -> PatternSet:
    """Return one set of all patterns of a check."""
    return PatternSet(
        credentials(), patterns_of("pii"), (*patterns_of("code"), *patterns_of("hate")), *injection_patterns()
    )


@lru_cache(maxsize=1)
def _personal() -> frozenset[int]:
    return frozenset(range(len(pii_patterns())))


@lru_cache(maxsize=KEPT)
def _tells(hits: tuple[int, ...]) -> bool:
    """Return whether any of these patterns is meaningful alone."""
    return not _personal().union(*_harmful().values()).isdisjoint(hits)


@lru_cache(maxsize=1)
def _harmful() -> dict[str, frozenset[int]]:
    return {kind: all_patterns().ranks({kind}) for kind in (CODE, HATE)}


def _of_input(
    given: GuardrailsInput, personal: Sequence[GuardSpan], harm: dict[str, list[GuardSpan]], found: Suspicion
) -> GuardrailsOutput:
    spans = [*personal]
    reasons: list[Reason] = []
    risk: Risk = "none"
    is_owner = (given.metadata or {}).get("from") == "owner"
    if found.is_plain if is_owner else found.is_injection:
        risk = "injection"
        reasons.append(reason(ReasonCode.LOOKS_LIKE_INSTRUCTIONS, signs=_signs(found)))
        spans += _marked(found)
    risk = _add_harm(harm, spans, reasons, risk)
    is_safe = risk == "none"
    if is_safe and without_links(personal):
        risk = "pii"
        reasons.append(reason(ReasonCode.HOLDS_PERSONAL, kinds=_kinds(without_links(personal))))
    return _verdict(given.content, spans, risk, reasons, is_safe=is_safe)


def _of_output(
    given: GuardrailsInput, outgoing: Outgoing, personal: Sequence[GuardSpan], harm: dict[str, list[GuardSpan]]
) -> GuardrailsOutput:
    spans = unwanted(given.content[:MOST], personal, outgoing)
    reasons: list[Reason] = []
    risk: Risk = "none"
    links = [span for span in spans if span.type == LINK]
    if links:
        risk = "injection"
        reasons.append(Reason(ReasonCode.LEADS_ELSEWHERE))
    others = [span for span in spans if span.type != LINK]
    if others:
        risk = "pii"
        secrets = [span for span in others if span.type in SECRETS]
        if secrets:
            reasons.append(reason(ReasonCode.HOLDS_SECRET, kinds=_kinds(secrets)))
        if people := [span for span in others if span.type not in SECRETS]:
            reasons.append(reason(ReasonCode.HOLDS_OTHERS, kinds=_kinds(people)))
    risk = _add_harm(harm, spans, reasons, risk)
    return _verdict(given.content, spans, risk, reasons, is_safe=risk == "none")


def _add_harm(harm: dict[str, list[GuardSpan]], spans: list[GuardSpan], reasons: list[Reason], risk: Risk) -> Risk:
    """Add the spans and reasons of harmful text; return the resulting category."""
    items: tuple[tuple[str, Risk, ReasonCode], ...] = (
        (CODE, "malicious_code", ReasonCode.HARMFUL_COMMANDS),
        (HATE, "hate_speech", ReasonCode.WORDS_OF_HATE),
    )
    for kind, category, code in items:
        if harm.get(kind):
            spans += harm[kind]
            reasons.append(Reason(code))
            risk = category if risk == "none" else risk
    return risk


def _marked(found: Suspicion) -> list[GuardSpan]:
    """Return the spans of the signs, with adjacent ones joined."""
    marked: list[GuardSpan] = []
    for sign in sorted((sign for sign in found.signs if sign.kind in SIGNS), key=lambda sign: sign.start):
        if marked and sign.start <= marked[-1].end + 1:
            marked[-1].end = max(marked[-1].end, sign.end)
        else:
            marked.append(GuardSpan(start=sign.start, end=sign.end, type=INJECTION))
    return marked


def _signs(found: Suspicion) -> list[str]:
    kinds = dict.fromkeys(sign.kind for sign in found.signs if sign.kind in SIGNS)
    if "override" in kinds:
        kinds.pop("override_loosely", None)
    return list(kinds)


def _kinds(spans: Sequence[GuardSpan]) -> list[str]:
    return list(dict.fromkeys(placeholder_kind(span.type).lower().replace("_", " ") for span in spans))


def _verdict(
    content: str, spans: Sequence[GuardSpan], risk: Risk, found: Sequence[Reason], *, is_safe: bool, otherwise: str = ""
) -> GuardrailsOutput:
    """Build the verdict; `otherwise` is the sentence for a text without findings."""
    ordered = sorted(spans, key=_place)
    sentences = list(map(sentence, found)) or [otherwise or say(NOTHING)]
    if len(content) > MOST:
        partly = reason(ReasonCode.PARTLY_LOOKED_AT, count=MOST)
        found, sentences = [*found, partly], [*sentences, sentence(partly)]
    return GuardrailsOutput(
        is_safe=is_safe,
        sanitized_content=cut(content[:MOST], without_links(_apart(ordered))) if ordered else content[:MOST],
        risk_category=risk,
        reasoning=" ".join(sentences),
        spans=ordered,
        reasons=list(found),
    )


def _apart(spans: Sequence[GuardSpan]) -> list[GuardSpan]:
    """Return spans in order, without overlaps."""
    kept: list[GuardSpan] = []
    for span in spans:
        start = max(span.start, kept[-1].end) if kept else span.start
        if start < span.end:
            kept.append(span if start == span.start else span.model_copy(update={"start": start}))
    return kept


def _place(span: GuardSpan) -> tuple[int, int]:
    return span.start, -span.end
