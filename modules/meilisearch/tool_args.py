"""The arguments of the tool, with what a planner is told of them."""

from pydantic import ConfigDict

from modules._remote.telling import telling
from modules.meilisearch.records import SearchArgs


class SearchToolArgs(SearchArgs):
    """The arguments of a search."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            query=("A few words that stand in it, no whole question; typos are forgiven.", "boiler invoice"),
            index=("Only where the owner names one; left out: the usual one.", "recipes"),
            filter=(
                "Conditions that all have to hold; `in` and `not_in` take a list.",
                [{"field": "year", "op": "gte", "value": 2025}],
            ),
            sort=("Another order than what fits best.", ["year:desc"]),
            limit=("How many documents at most.", 5),
            offset=("How many of the first are passed over.", 10),
        )
    )
