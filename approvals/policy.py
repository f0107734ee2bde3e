"""Allow, ask or deny: an ordered table of small rules, read from the top. A call that matches none asks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from approvals.people import is_owner
from approvals.reason_words import all_in_words
from butler.contract.names import Direction, Identity
from butler.contract.ports import OwnerFacts
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.tools import Preview, ToolMetadata, ToolSpec
from butler.provenance import Labels
from butler.store.queries.rules import RuleRow
from config.approvals import ApprovalsSettings


class Decision(StrEnum):
    """The policy's decision about a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision with its reasons.

    With an `approval_id`, only the executor makes the call. An allowed call without one (a read, or an output that only
    the owner sees) is made by the caller.
    """

    decision: Decision
    reasons: tuple[Reason, ...]
    approval_id: str | None = None
    line: str = field(default="", compare=False)
    """The name of the policy line that decided; empty if none did."""

    @property
    def reasons_text(self) -> str:
        """Return its reasons in words."""
        return all_in_words(self.reasons)


@dataclass(frozen=True, slots=True)
class PolicyQuery:
    """A call as the rules see it. `origins` has an entry for every argument that was given."""

    spec: ToolSpec
    metadata: ToolMetadata
    preview: Preview
    origins: Mapping[str, Labels]
    owner: OwnerFacts
    contact: Callable[[str], str | None]
    """Returns the contact whose owner-confirmed address this is."""
    same_person: Callable[[str], Sequence[str]]
    """Returns all owner-confirmed addresses of the contact who has this address."""
    settings: ApprovalsSettings
    paused: Reason | None
    """The pause in force for this identity; None if there is none."""
    over_limit: Reason | None
    """Why the call would exceed a hard limit."""
    standing: RuleRow | None
    """The standing rule that allows the call, if any."""
    choice: Labels = frozenset()
    """The provenance of the decision to use this tool, whatever its arguments."""

    @property
    def is_output(self) -> bool:
        return self.spec.direction is Direction.OUTPUT

    @property
    def as_user(self) -> bool:
        return self.spec.identity is Identity.USER

    @property
    def addresses(self) -> tuple[str, ...]:
        return tuple(recipient.address for recipient in self.preview.recipients)

    @property
    def only_owner_sees(self) -> bool:
        """Return whether this is the butler's own output into its own rows, or to the owner and nobody else."""
        if not self.is_output or self.as_user:
            return False
        return self.spec.to_owner or (bool(self.addresses) and all(map(self.is_owner, self.addresses)))

    def is_owner(self, address: str) -> bool:
        """Return whether this address is the owner's own."""
        return is_owner(self.owner, address)

    def is_known(self, address: str) -> bool:
        """Return whether this address is the owner's own or that of a confirmed contact."""
        return self.is_owner(address) or self.contact(address) is not None


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One line of the table. `check` yields the reasons why the rule matches, and nothing if it does not."""

    name: str
    description: str
    decision: Decision
    check: Callable[[PolicyQuery], Iterable[Reason]]


def judge(question: PolicyQuery, rules: Sequence[PolicyRule]) -> Verdict:
    """Read the table from the top.

    The first rule that denies or allows ends the reading. If rules above an allowing one have asked, the call asks,
    with all of their reasons.
    """
    asks: list[Reason] = []
    for rule in rules:
        reasons = tuple(rule.check(question))
        if reasons and rule.decision is Decision.ASK:
            asks += reasons
        elif reasons and (rule.decision is Decision.DENY or not asks):
            return Verdict(rule.decision, reasons, line=rule.name)
        elif reasons:
            break
    return Verdict(Decision.ASK, tuple(asks) or (Reason(ReasonCode.NO_RULE),))
