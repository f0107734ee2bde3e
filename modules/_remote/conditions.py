"""Conditions on fields of search results, in one form for all search servers, each with a language of its own."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictInt, model_validator

from butler.contract.records import ClosedRecord
from butler.contract.speech import say

MOST_VALUES = 100
Number = Annotated[float, Field(allow_inf_nan=False)]


class Op(StrEnum):
    """How a field is compared; of a field that holds a list, one entry that fits is enough."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    NOT_IN = "not_in"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"


LISTS = frozenset({Op.IN, Op.NOT_IN})
ORDERS = frozenset({Op.LT, Op.LTE, Op.GT, Op.GTE})


class Condition(ClosedRecord):
    """One thing that must hold of what is found."""

    field: str = Field(
        min_length=1, max_length=200, description="A field of what is found; `address.city` is one within another."
    )
    op: Op = Field(default=Op.EQ, description="`in` and `not_in` take a list, `lt` and the like a number or a moment.")
    value: bool | int | Number | str | tuple[StrictInt | str, ...] = Field(
        description="What it is compared with; a moment as `2026-11-28T09:00:00Z`."
    )

    @model_validator(mode="after")
    def _fits(self) -> "Condition":
        if (self.op in LISTS) != isinstance(self.value, tuple):
            raise ValueError(say("`in` and `not_in` take a list, and nothing else does"))
        if isinstance(self.value, tuple) and not 1 <= len(self.value) <= MOST_VALUES:
            raise ValueError(say("a list of values has 1 to {most} of them", most=MOST_VALUES))
        if isinstance(self.value, tuple) and len({type(one) for one in self.value}) > 1:
            raise ValueError(say("a list of values holds whole numbers or texts, not both"))
        if self.op in ORDERS and not _ordered(self.value):
            raise ValueError(say("only numbers and moments such as 2026-11-28T09:00:00Z come before or after others"))
        return self


def _ordered(value: object) -> bool:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).tzinfo is not None
        except ValueError:
            return False
    return isinstance(value, (int, float)) and not isinstance(value, bool)
