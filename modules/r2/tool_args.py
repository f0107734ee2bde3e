"""The arguments of the tools, with what a planner is told of them."""

from pydantic import ConfigDict

from modules._remote.telling import telling
from modules.r2.records import GetArgs, PutArgs

_MINUTES = ("How long the link holds, in minutes; 0: the usual time.", 60)


class GetToolArgs(GetArgs):
    """The arguments of fetching a file."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            key=("Exactly what it is called there.", "papers/contract.pdf"),
            link_only=("Whether only a link is made, as for a large file.", True),
            link_minutes=_MINUTES,
        )
    )


class PutToolArgs(PutArgs):
    """The arguments of putting a file there."""

    model_config = ConfigDict(
        json_schema_extra=telling(
            file=("A file that was shown or found.", {"handle": "file-1"}),
            key=("What it is called there; left out: as the file.", "papers/contract.pdf"),
            link_minutes=_MINUTES,
        )
    )
