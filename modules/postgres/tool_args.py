"""The arguments of the tools, with what a planner is told of them."""

from pydantic import ConfigDict

from modules._remote.telling import telling
from modules.postgres.records import QueryArgs, VectorSearchArgs

_WHERE = "All have to hold; `like` takes % and _, `in` a list, `is` null or a truth value."


class QueryToolArgs(QueryArgs):
    """The arguments of a query."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            sql=(
                "Only for joins, sums, groups: one SELECT with $1, $2, ... for values.",
                "SELECT city, count(*) FROM people WHERE born < $1 GROUP BY city",
            ),
            params=("Values of $1, $2, ... in `sql`.", ["1980-01-01"]),
            table=("Table or view to read, instead of `sql`.", "public.orders"),
            function=("Function to call, instead of `sql`.", "open_orders"),
            arguments=("Arguments of `function` by name.", {"city": "Berlin"}),
            select=("Columns; left out: all.", ["id", "total"]),
            where=(_WHERE, [{"column": "paid", "op": "is", "value": False}]),
            order=("What the rows are ordered by.", [{"column": "created_at", "descending": True}]),
            limit=("How many rows at most; `complete` is false where there are more.", 20),
        )
    )


class VectorSearchToolArgs(VectorSearchArgs):
    """The arguments of a search by meaning."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            table=("Name of a search of the settings; left out: the first.", "articles"),
            text=("What to find, in the owner's words.", "how do I return a parcel"),
            vector=("Instead of `text`, only where the owner gave numbers.", [0.1, 0.2]),
            where=(_WHERE, [{"column": "language", "value": "en"}]),
            limit=("How many rows at most.", 5),
        )
    )
