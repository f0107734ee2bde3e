"""The arguments and answers of the adapter's operations."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from butler.contract.records import ClosedRecord, Record
from butler.contract.speech import say
from modules.postgres.config import Column, Relation

QUERY, VECTOR_SEARCH = "postgres.sql.query.v1", "postgres.vectors.search.v1"
MOST_ROWS, MOST_MATCHES, MOST_PARAMS, MOST_CONDITIONS = 10_000, 100, 100, 30
LONGEST_SQL, LONGEST_VECTOR, LONGEST_LIST = 20_000, 16_000, 1_000
Finite = Annotated[float, Field(allow_inf_nan=False)]
Text = Annotated[str, StringConstraints(max_length=100_000)]
Scalar = bool | int | Finite | Text


class Condition(ClosedRecord):
    """What has to hold of a row."""

    column: Column = Field(description="The column that is looked at.")
    op: Literal["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "in", "is"] = Field(
        default="eq", description="How it is compared: `like` takes % and _, `in` a list, `is` null, true or false."
    )
    value: Scalar | Annotated[list[Scalar], Field(max_length=LONGEST_LIST)] | None = Field(
        default=None, description="What it is compared with."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.op == "in") is not isinstance(self.value, list):
            raise ValueError(say("`in` takes a list, and no other comparison does"))
        if self.op == "is" and not (self.value is None or isinstance(self.value, bool)):
            raise ValueError(say("`is` takes null, true or false"))
        if self.op != "is" and self.value is None:
            raise ValueError(say("only `is` compares with null"))
        if self.op in {"like", "ilike"} and not isinstance(self.value, str):
            raise ValueError(say("`{op}` takes a text", op=self.op))
        return self


class Order(ClosedRecord):
    """What rows are ordered by."""

    column: Column = Field(description="The column.")
    descending: bool = Field(default=False, description="Whether the greatest comes first.")


Where = Annotated[list[Condition], Field(max_length=MOST_CONDITIONS)]


class QueryArgs(ClosedRecord):
    """One SELECT, or a table or function with what is wanted of it."""

    sql: str = Field(
        default="",
        max_length=LONGEST_SQL,
        description="One SELECT (or WITH, VALUES, TABLE) with $1, $2, ... for values; not through PostgREST.",
    )
    params: Annotated[list[Scalar | list[Scalar] | None], Field(max_length=MOST_PARAMS)] = Field(
        default_factory=list[Any], description="The values of $1, $2, ... in `sql`, in their order."
    )
    table: Relation | None = Field(default=None, description="Instead of `sql`: the table or view to read.")
    function: Relation | None = Field(default=None, description="Instead of `sql`: the function to call.")
    arguments: dict[Column, Scalar] = Field(
        default_factory=dict[str, Any], description="The arguments of `function`, by name.", max_length=MOST_CONDITIONS
    )
    select: Annotated[list[Column], Field(max_length=100)] = Field(
        default_factory=list[str], description="The columns of `table` or `function`; all of them when left out."
    )
    where: Where = Field(default_factory=list[Condition], description="Conditions that all have to hold.")
    order: Annotated[list[Order], Field(max_length=10)] = Field(
        default_factory=list[Order], description="What the rows are ordered by."
    )
    limit: int = Field(default=100, ge=1, le=MOST_ROWS, description="Rows at most.")

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if sum((bool(self.sql.strip()), self.table is not None, self.function is not None)) != 1:
            raise ValueError(say("give one of `sql`, `table` and `function`"))
        if self.sql and (self.select or self.where or self.order):
            raise ValueError(say("`select`, `where` and `order` go with `table` or `function`, not with `sql`"))
        if "\0" in self.sql:
            raise ValueError(say("`sql` may not hold the character NUL: a database would read no further"))
        if self.params and not self.sql:
            raise ValueError(say("`params` go with `sql`"))
        if self.arguments and self.function is None:
            raise ValueError(say("`arguments` go with `function`"))
        return self


class ColumnInfo(Record):
    """A column of an answer."""

    name: str
    type: str = Field(description="PostgreSQL's name of its type; empty where PostgREST does not tell.")


class QueryAnswer(Record):
    """The rows that were found."""

    columns: list[ColumnInfo]
    rows: list[list[JsonValue]] = Field(description="The values of each row, in the order of `columns`.")
    count: int = Field(description="How many rows are here.")
    complete: bool = Field(description="False where there are more rows, or a value was cut.")


class VectorSearchArgs(ClosedRecord):
    """What rows should mean."""

    table: str = Field(default="", max_length=63, description="The name of a search in the settings, or the first.")
    text: str = Field(default="", max_length=20_000, description="What is looked for, in words.")
    vector: Annotated[list[Finite], Field(max_length=LONGEST_VECTOR)] = Field(
        default_factory=list[float], description="What is looked for, as a vector, instead of `text`."
    )
    where: Where = Field(default_factory=list[Condition], description="Conditions that all have to hold.")
    limit: int = Field(default=10, ge=1, le=MOST_MATCHES, description="Rows at most.")

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if bool(self.text.strip()) is bool(self.vector):
            raise ValueError(say("give either `text` or `vector`"))
        return self


class Match(Record):
    """A row that was found."""

    id: str
    score: float = Field(description="The greater, the nearer: similarity, or minus the distance for l2.")
    text: str
    row: dict[str, JsonValue]


class VectorSearchAnswer(Record):
    """The nearest rows, the nearest first."""

    matches: list[Match]
    count: int
