"""Types of arguments that tools of several channels take, with what a planner is told of them."""

from typing import Annotated

from pydantic import Field

Account = Annotated[
    str, Field(max_length=30, description="Name of the account; left out: the first.", examples=["work"])
]
"""One of the owner's accounts, as `ToolSpec.accounts` names them; empty for the first one."""

Question = Annotated[
    str,
    Field(max_length=1_000, description="What to answer from it; left out: it is shown.", examples=["when is it due?"]),
]
"""What is to be found out from what is read; empty for the thing itself."""
