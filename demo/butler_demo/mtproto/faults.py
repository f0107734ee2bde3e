"""Faults by order: the next calls of a method fail, lose their connection or are never answered."""

import enum
from dataclasses import dataclass


class Moment(enum.Enum):
    """When a fault strikes: instead of the call's effect, or after it."""

    BEFORE_EFFECT = "before_effect"
    AFTER_EFFECT = "after_effect"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Answer this error and do nothing."""

    code: int
    message: str


@dataclass(frozen=True, slots=True)
class Loss:
    """Do not answer; `cut` closes the connection as well."""

    moment: Moment
    cut: bool


Fault = Refusal | Loss
