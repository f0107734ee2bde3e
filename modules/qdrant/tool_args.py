"""The arguments of the tools, with what a planner is told of them."""

from pydantic import ConfigDict

from modules._remote.telling import telling
from modules.qdrant.args import CreateArgs, SearchArgs, UpsertArgs


class SearchToolArgs(SearchArgs):
    """The arguments of a search."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            collection=("Only where the owner names one; left out: the usual one.", "notes"),
            text=("What to find, in the owner's words; for collections of texts.", "when is the boiler serviced?"),
            vector=("Instead of `text`, only where the owner gave numbers.", [0.1, 0.2]),
            limit=("How many points at most.", 5),
            filter=(
                "Conditions on payloads that all have to hold; `in` and `not_in` take a list.",
                [{"field": "year", "op": "gte", "value": 2025}],
            ),
            score_threshold=("Least score; with Euclid and Manhattan, the greatest.", 0.7),
        )
    )


class UpsertToolArgs(UpsertArgs):
    """The arguments of an upsert."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            collection=("One that is there.", "notes"),
            points=(
                "Each has a `text` or a `vector`; `payload` can be filtered by; leave `id` out.",
                [{"text": "The boiler is serviced each May.", "payload": {"year": 2026}}],
            ),
        )
    )


class CreateToolArgs(CreateArgs):
    """The arguments of a new collection."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            collection=("What it is called.", "photos"),
            size=("Dimensions of its vectors; left out: for texts.", 512),
            distance=("How vectors are compared; left out: for texts.", "Dot"),
        )
    )
