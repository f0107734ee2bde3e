"""The base classes of data models: immutable records, which ignore or refuse unknown fields."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable record; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True)


class ClosedRecord(Record):
    """An immutable record; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")
