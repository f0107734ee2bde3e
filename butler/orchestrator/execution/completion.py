"""Completes a call from its provider before it is judged, frozen and shown.

The provider says whom an answer goes to, from which alias, and what it quotes. Nobody trusted chose these values, so
they are labelled as untrusted. They are not read again once the call has been proposed.
"""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from butler.contract.door import explain
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationError
from butler.contract.names import ToolName
from butler.contract.provenance import Origin, Trust
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase
from butler.contract.tools import ArgRole, ToolCall, ToolMetadata, ToolSpec
from butler.orchestrator.execution.binding import Bound
from butler.tool_invoker import ACCOUNT

LISTED = Origin.butler("listed")


async def completed(
    spec: ToolSpec, metadata: ToolMetadata, bound: Bound, given: frozenset[str], call: ToolCall
) -> Bound | IntegrationError:
    """Fill in the arguments that were left at their defaults and are not among the `given` ones.

    `call` is what the tool is asked about. Await it outside of any transaction.
    """
    if spec.complete is None:
        return bound
    result = await spec.complete(call)
    if result.error is not None:
        return result.error
    filled = _left_open(call.args, given, result.data or {})
    try:
        model = spec.args.model_validate({**bound.args, **filled})
    except ValidationError as error:
        message = f"what completes {spec.tool_name} does not fit it ({explain(error)})"
        return IntegrationError(code=IntegrationErrorCode.INVALID_OUTPUT, message=message)
    # An argument filled with nothing says nothing, so it has no author.
    says = filled.keys() & model.model_dump(exclude_defaults=True).keys()
    labels = dict.fromkeys(says, frozenset({LISTED if spec.lists else _source(spec, metadata, call)}))
    return Bound(model.model_dump(mode="json"), bound.labels | labels, bound.choice)


def _left_open(args: BaseModel, given: frozenset[str], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of an answer for arguments that nobody has given; it may never choose the account."""
    items = given | args.model_dump(exclude_defaults=True).keys() | {ACCOUNT}
    return {name: value for name, value in data.items() if name not in items}


def _source(spec: ToolSpec, metadata: ToolMetadata, call: ToolCall) -> Origin:
    """Return the origin of the answer: the item that the call is about, or else the account."""
    targets = [name for name, role in metadata.args.items() if role is ArgRole.TARGET]
    data: dict[str, Any] = call.args.model_dump(mode="json")
    about = next((data[name] for name in targets if data[name]), call.account)
    about = ",".join(map(str, cast("list[Any]", about))) if isinstance(about, list) else str(about)
    answers = "reply" in ToolName.parse(spec.tool_name).action.split("_")
    if spec.about.completed_by:
        return Origin.butler(spec.about.completed_by)
    if spec.about.completed_from:
        shown_as = spec.about.completed_from
    elif spec.about.referent is ReferentKind.MAIL:
        shown_as = phrase("the mail that is answered") if answers else phrase("the mail that it is about")
    else:
        shown_as = phrase("the message that is answered") if answers else phrase("the message that it is about")
    return Origin(trust=Trust.UNTRUSTED, source=f"{spec.channel}:{about}", shown_as=shown_as)
