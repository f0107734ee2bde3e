"""The operations on labels."""

from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.records import Label
from butler_demo.gmail.views import counted_label_view, label_view
from butler_demo.google.call import Json
from butler_demo.google.errors import invalid_argument


async def list_labels(call: CallContext) -> Json:
    """`users.labels.list`: without counts, as in Gmail."""
    return {"labels": [label_view(label) for label in call.mailbox.labels.all()]}


async def get_label(call: CallContext) -> Json:
    """`users.labels.get`."""
    return counted_label_view(call.mailbox.labels.get(call.text("id")), call.mailbox)


async def create_label(call: CallContext) -> Json:
    """`users.labels.create`: a name with slashes nests, whether or not the upper levels are there."""
    label = call.mailbox.labels.create(call.body.get("name") or "")
    return label_view(_change(call, label, call.body, renames=False))


async def update_label(call: CallContext) -> Json:
    """`users.labels.update`."""
    if not call.body.get("name"):
        raise invalid_argument("Invalid label name")
    return await patch_label(call)


async def patch_label(call: CallContext) -> Json:
    """`users.labels.patch`."""
    label = call.mailbox.labels.get(call.text("id"))
    return label_view(_change(call, label, call.body, renames=True))


async def delete_label(call: CallContext) -> None:
    """`users.labels.delete`: the messages stay, without it."""
    call.mailbox.delete_label(call.text("id"))


def _change(call: CallContext, label: Label, body: Json, *, renames: bool) -> Label:
    color: Json | None = body.get("color")
    return call.mailbox.labels.change(
        label,
        name=body.get("name") if renames else None,
        message_list=body.get("messageListVisibility"),
        label_list=body.get("labelListVisibility"),
        color=(color.get("textColor", ""), color.get("backgroundColor", "")) if color else None,
    )
