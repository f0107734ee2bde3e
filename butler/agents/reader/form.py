"""The form that a model fills to read: which words say it, and what they say."""

from pydantic import BaseModel, ConfigDict, Field


class ReadingForm(BaseModel):
    """What was found; empty where the chunks do not say it."""

    model_config = ConfigDict(extra="forbid")

    chunk: str = Field(default="", description="The id of the chunk that says it, such as c1", max_length=10)
    words: str = Field(default="", description="The words that say it, copied letter by letter", max_length=500)
    day: str = Field(default="", description="The day that the words mean, as 2026-03-31", max_length=10)
    yes: bool | None = Field(default=None, description="True for yes, false for no")
    person: str = Field(default="", description="The id of the person, such as p1", max_length=10)
