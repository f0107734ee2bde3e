"""Reasons in the words that the owner reads."""

from collections.abc import Mapping
from typing import Any

from approvals.reason_words import all_in_words, in_words
from butler.contract.inbound import Inbound
from butler.contract.reasons import Reason, load_reasons


def worded(one: Reason | None) -> str:
    """A reason in the spoken language; empty for none."""
    return in_words(one) if one else ""


def authority_of(item: Inbound) -> Mapping[str, Any]:
    """What a mail's payload says of its authority, with the reasons in words."""
    told: Mapping[str, Any] = item.payload["authority"]
    return {**told, "why": all_in_words(load_reasons(told["why"]))}


def put_aside(item: Inbound) -> str:
    """Why a mail was put aside; empty if it was not."""
    return all_in_words(load_reasons(item.payload["quarantine"]))


def problems(item: Inbound) -> list[str]:
    """What a mail's payload says of its problems, in words."""
    return list(map(in_words, load_reasons(item.payload["problems"])))
