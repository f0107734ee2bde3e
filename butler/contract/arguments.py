"""Types of arguments that tools of several channels take, with what a planner is told of them."""

from typing import Annotated

from pydantic import Field

Account = Annotated[
    str, Field(max_length=30, description="Name of the account; left out: the first.", examples=["work"])
]
"""One of the owner's accounts, as `ToolSpec.accounts` names them; empty for the first one."""
