"""The form that a model fills to word an answer: claims, each with the supporting words of its source."""

from pydantic import BaseModel, ConfigDict, Field

MOST_CLAIMS = 12


class QuoteForm(BaseModel):
    """Words of one chunk."""

    model_config = ConfigDict(extra="forbid")

    chunk: str = Field(description="The id of the chunk, such as c1", max_length=10)
    words: str = Field(description="What it says, copied letter by letter", max_length=1_000)


class ClaimForm(BaseModel):
    """One sentence of the answer."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="The sentence, without source numbers", max_length=1_000)
    quotes: list[QuoteForm] = Field(default_factory=list[QuoteForm], max_length=4)


class AnswerForm(BaseModel):
    """An answer; no claims where the chunks do not hold one."""

    model_config = ConfigDict(extra="forbid")

    claims: list[ClaimForm] = Field(default_factory=list[ClaimForm], max_length=MOST_CLAIMS)
    follow_ups: list[str] = Field(default_factory=list[str], max_length=3, description="Questions to ask next")
