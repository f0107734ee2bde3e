"""Builds the steps of plans: one function per tool, the only place that knows argument names."""

from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.speech import say
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.planning.references import moved as renumbered

Reference = dict[str, Any]


def plan(*steps: PlanStep) -> Planned:
    """Return a plan of these steps, numbered from 1."""
    return Planned(tuple(step.model_copy(update={"step_id": n}) for n, step in enumerate(steps, 1)))


def moved(later: Planned, by: int) -> list[PlanStep]:
    """Return the steps of a plan renumbered to follow `by` others, with their references."""
    numbers: dict[int | str, int] = {step.step_id: step.step_id + by for step in later.steps}
    return [
        step.model_copy(
            update={
                "depends_on": [number + by for number in step.depends_on],
                "when": step.when.model_copy(update={"step_id": step.when.step_id + by}) if step.when else None,
                "args": renumbered(step.args, numbers),
            }
        )
        for step in later.steps
    ]


def call(tool: str, description: str, /, **args: Any) -> PlanStep:
    """Return one step; `plan()` numbers it."""
    return PlanStep(step_id=1, description=description, tool_call=tool, args=args)


def call_people(names: list[str], host: str, about: str = "") -> Planned:
    """Return the plan for a call: a room, a link into it for its owner, and one for each of the others."""
    about = about or (say("Call with {names}", names=", ".join(names)) if names else say("Call"))
    room = {"step": 1, "fact": "room"}
    links = [
        call("bot_livekit_join_room", say("Make {name}'s link to the call", name=name), room=room, name=name[:100])
        for name in names
    ]
    own = call("bot_livekit_join_room", say("Make your link to the call"), room=room, name=host)
    opened = call("bot_livekit_create_room", say("Open a room for the call"), name=about[:100])
    joins = [step.model_copy(update={"depends_on": [1]}) for step in (own, *links)]
    return plan(opened, *joins)


def measure(signal: str, title: str, since: str, **before: str) -> PlanStep:
    """Return the step that queries one signal of a server over a span of time."""
    what = say("Look at {signal}", signal=title)
    return call("bot_prometheus_query_metrics", what, signal=signal, since=since, **before)


def read_logs(signal: str, title: str, since: str, **before: str) -> PlanStep:
    """Return the step that reads a server's logs by the name of a log query."""
    return call(
        "bot_loki_query_logs", say("Read the logs: {signal}", signal=title), signal=signal, since=since, **before
    )


def send_telegram(tool: str, name: str, to: Reference, text: str, **account: str) -> PlanStep:
    """Return the step that sends a Telegram message in the owner's name, or in the butler's own."""
    return call(tool, say("Send {name} a Telegram message", name=name), to=to, text=text, **account)


def send_mail(tool: str, names: str, to: list[Reference], subject: str, body: str, **account: str) -> PlanStep:
    """Return the step that sends a mail in the owner's name, or in the butler's own."""
    return call(tool, say("Send {names} a mail", names=names), to=to, subject=subject, body=body, **account)


def draft_mail(tool: str, names: str, to: list[Reference], subject: str, body: str, **account: str) -> PlanStep:
    """Return the step that saves a mail in the owner's drafts; its body may be empty."""
    return call(tool, say("Draft a mail to {names}", names=names), to=to, subject=subject, body=body, **account)


def forward_mail(names: str, to: list[Reference], reading: Planned) -> Planned:
    """Return a plan that forwards a mail with its files. The last step of `reading` reads the mail."""
    read = len(reading.steps)
    send = call(
        "user_email_send_message",
        say("Forward it to {names}", names=names),
        to=to,
        subject={"step": read, "fact": "forward.subject"},
        body={"step": read, "fact": "forward.body"},
        attachments={"step": read, "fact": "forward.attachments"},
    )
    return plan(*reading.steps, send.model_copy(update={"depends_on": [read]}))


def reply_mail(tool: str, handle: str, body: str, whose: str, **more: Any) -> PlanStep:
    """Return the step that answers in a shown mail's thread, or drafts it. `whose` is the mail's author, if known."""
    if tool.endswith("_draft_reply"):
        what = say("Draft a reply to {name}'s mail", name=whose) if whose else say("Draft a reply to the mail")
    else:
        what = say("Reply to {name}'s mail", name=whose) if whose else say("Reply to the mail")
    return call(tool, what, message_id={"handle": handle}, body=body, **more)


def reply_message(tool: str, handle: str, text: str, whose: str) -> PlanStep:
    """Return the step that replies to a shown message of a chat. `whose` is its author, if known."""
    what = say("Reply to {name}'s message", name=whose) if whose else say("Reply to the message")
    return call(tool, what, message_id={"handle": handle}, text=text)


def delete_message(tool: str, handle: str) -> PlanStep:
    """Return the step that deletes one of the owner's own messages for everybody."""
    return call(tool, say("Delete the message"), message_ids=[{"handle": handle}])


def edit_message(tool: str, handle: str, text: str) -> PlanStep:
    """Return the step that gives one of the owner's own messages another text."""
    return call(tool, say("Correct the message"), message_id={"handle": handle}, text=text)


def read_mail(handle: str, side: str) -> PlanStep:
    """Return the step that reads a whole shown mail."""
    return call(f"{side}_email_read_message", say("Read the mail"), message_id={"handle": handle})


def read_message(handle: str) -> PlanStep:
    """Return the step that reads a whole shown message of the owner's Telegram."""
    return call("user_telegram_read_message", say("Read the message"), message_id={"handle": handle})


def list_chats(**account: str) -> PlanStep:
    """Return the step that lists the owner's newest Telegram conversations."""
    return call("user_telegram_list_dialogs", say("Look through your Telegram"), **account)


def read_chat(name: str, chat: Reference, **filters: Any) -> PlanStep:
    """Return the step that reads the newest messages of a Telegram chat."""
    return call(
        "user_telegram_get_message_history", say("Read your Telegram with {name}", name=name), chat=chat, **filters
    )


def missed_chats(**account: str) -> PlanStep:
    """Return the step that lists the owner's unread Telegram messages."""
    return call("user_telegram_get_updates", say("Look what is new on Telegram"), unread=True, **account)


def list_threads(description: str, **filters: Any) -> PlanStep:
    """Return the step that lists conversations of the owner's mailbox."""
    return call("user_email_list_threads", description, **filters)


def rank_senders(**account: str) -> PlanStep:
    """Return the step that ranks the senders in the owner's inbox, with a clean-up button for each."""
    return call("user_email_rank_senders", say("Count who sends you most mail"), **account)


def search_mail(side: str, description: str, **filters: Any) -> PlanStep:
    """Return the step that searches one mailbox."""
    return call(f"{side}_email_search_inbox", description, **filters)


def remember(text: str) -> PlanStep:
    """Return the step that keeps a note."""
    return call("bot_notes_remember", say("Keep a note"), text=text)


def search_notes(words: str) -> PlanStep:
    """Return the step that finds notes with these words; all notes without any."""
    return call("bot_notes_search", say("Look through your notes"), **({"words": words} if words else {}))


def remind(text: str | dict[str, str], at: str, **more: Any) -> PlanStep:
    """Return the step that sets a reminder at a local time.

    `more` holds its repetition and further facts. `text` may be a reference to a text that a step finds.
    """
    return call("bot_reminders_create", say("Set a reminder"), text=text, at=at, **more)


def reminder(action: str, description: str, **args: Any) -> PlanStep:
    """Return the step that does something to an existing reminder."""
    return call(f"bot_reminders_{action}", description, **args)


def travel(zone: str, **more: Any) -> PlanStep:
    """Return the step that sets the owner's current time zone; an empty `zone` is home."""
    return call("bot_reminders_travel", say("Go by the clocks of {zone}", zone=zone or say("home")), zone=zone, **more)


def list_reminders() -> PlanStep:
    """Return the step that lists the reminders to come."""
    return call("bot_reminders_list", say("List your reminders"))


def unsubscribe(tool: str, handle: str) -> PlanStep:
    """Return the step that unsubscribes from the list of a shown mail."""
    return call(tool, say("Unsubscribe from its list"), message_id={"handle": handle})


def search_memory(question: str, **filters: str) -> PlanStep:
    """Return the step that searches memory by a question in the owner's words."""
    return call("bot_memory_search", say("Look for what I have read"), question=question, **filters)


def list_memory(**filters: str) -> PlanStep:
    """Return the step that lists what memory holds."""
    return call("bot_memory_list", say("List what I remember"), **filters)


def forget(**what: str | Reference) -> PlanStep:
    """Return the step that forgets one source of memory, or all that hold certain words."""
    return call("bot_memory_forget", say("Forget it"), **what)


def read_source(tool: str, argument: str, value: str | Reference, question: str, **options: bool) -> PlanStep:
    """Return the step that reads a page or a file, whole or for a question."""
    asked = {"question": question} if question else {}
    return call(tool, say("Read it"), **{argument: value}, **asked, **options)


def list_files(folder: str) -> PlanStep:
    """Return the step that lists a readable folder; without a folder, the readable folders."""
    return call("bot_files_list", say("List the files"), **({"folder": folder} if folder else {}))


def search_drive(words: str) -> PlanStep:
    """Return the step that searches the owner's Google Drive."""
    return call("user_drive_search", say("Look for “{words}” in your Drive", words=words), words=words)
