"""Every table. Times are microseconds since the epoch, so that both databases sort and compare them alike."""

# Include the tables of approvals, of bulk operations and of time and events.
# pyright: reportUnusedImport=false
import sqlalchemy as sa

from butler.store.approval_tables import (  # noqa: F401 - as above
    approval_batches,
    approvals,
    attempts,
    buttons,
    email_fallbacks,
    revisions,
    rules,
)
from butler.store.bulk_tables import bulk_items, bulk_runs, bulk_schedules  # noqa: F401 - as above
from butler.store.daemon_table import daemons  # noqa: F401 - as above
from butler.store.instants import Instant
from butler.store.schema import BigId, Json, metadata
from butler.store.stored_reasons import StoredReasons
from butler.store.time_tables import (  # noqa: F401 - as above
    automation_firings,
    automations,
    events,
    firings,
    hooks,
    model_use,
    polled,
    waits,
)

OLDEST_REVISION = "0015"
"""The initial schema: the first migration."""
REVISION = "0016"
"""The migration that these tables correspond to; a test compares it with the newest migration."""

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("seq", BigId, primary_key=True, autoincrement=True),
    sa.Column("inbound_id", sa.Text, nullable=False, unique=True),
    sa.Column("dedup_key", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("sender", sa.Text, nullable=False),
    sa.Column("message_ref", sa.Text, nullable=False),
    sa.Column("received_at", Instant, nullable=False),
    sa.Column("item", Json, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False, server_default=""),  # an `InboxNote`, or reasons
    sa.Column("handled_at", Instant),
    sa.Column("filed_at", Instant),  # when it was filed at its source
    sa.Column("guard", Json),  # the guardrails' verdict, if any
    sa.Index("inbox_chat", "channel", "identity", "chat", "seq"),
    sa.Index("inbox_channel", "channel", "identity", "seq"),
    sa.Index("inbox_message", "chat", "message_ref"),
    sa.Index("inbox_received", "received_at", "seq"),
)

work = sa.Table(
    "work",
    metadata,
    sa.Column("work_id", BigId, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("lane", sa.Text, nullable=False),
    sa.Column("run_at", Instant, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("faults", sa.Integer, nullable=False, server_default="0"),  # attempts that ended in an unexpected error
    sa.Column("last_error", StoredReasons, nullable=False, server_default=""),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("waits_s", sa.Float),  # how long it waits; null if `run_at` is a moment, or it waits for nothing
    sa.Index("work_due", "state", "run_at"),
    sa.Index("work_subject", "subject"),
    sqlite_autoincrement=True,  # ids are never reused: the engine knows rows by them
)

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("message_id", sa.Text, primary_key=True),
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("message", Json, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("refs", Json),
    sa.Column("dedup_key", sa.Text, unique=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("sent_at", Instant),
    sa.Column("detail", StoredReasons, nullable=False, server_default=""),
    sa.Index("outbox_chat", "chat", "state", "sent_at"),
    sa.Index("outbox_created", "created_at"),
    sa.Index("outbox_state", "state"),
)

conversations = sa.Table(
    "conversations",
    metadata,
    sa.Column("session_id", sa.Text, primary_key=True),
    sa.Column("state", Json, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Index("conversations_updated", "updated_at"),
)

plans = sa.Table(
    "plans",
    metadata,
    sa.Column("plan_id", sa.Text, primary_key=True),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("inbound_id", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("labels", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column("spent", Json),  # what its rounds have used: seconds, dollars
    sa.Index("plans_session", "session_id", "created_at"),
    sa.Index("plans_inbound", "inbound_id"),
    sa.Index("plans_updated", "updated_at"),
)

plan_steps = sa.Table(
    "plan_steps",
    metadata,
    sa.Column("plan_id", sa.Text, sa.ForeignKey("plans.plan_id"), primary_key=True),
    sa.Column("step_id", sa.Integer, primary_key=True),
    sa.Column("tool_call", sa.Text, nullable=False),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("args", Json, nullable=False),
    sa.Column("labels", Json, nullable=False),
    sa.Column("depends_on", Json, nullable=False),
    sa.Column("when", Json),
    sa.Column("waiting_on", sa.Text),
    sa.Column("outcome", Json),
    sa.Column("not_before", Instant),  # when to execute it; null for immediately
    sa.Column("ask", sa.Text, nullable=False, server_default=""),  # the question to what it finds
)

cursors = sa.Table(
    "cursors",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
)

facts = sa.Table(
    "facts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", Json, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("seq", BigId, primary_key=True, autoincrement=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("data", sa.Text, nullable=False),  # canonical JSON, the very bytes that are hashed
    sa.Column("previous_hash", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Index("audit_subject", "subject"),
)

contacts = sa.Table(
    "contacts",
    metadata,
    sa.Column("contact_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
)

contact_aliases = sa.Table(
    "contact_aliases",
    metadata,
    sa.Column("contact_id", sa.Text, sa.ForeignKey("contacts.contact_id"), primary_key=True),
    sa.Column("alias", sa.Text, primary_key=True),  # case folded
    sa.Column("confirmed", sa.Boolean, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
)

contact_addresses = sa.Table(
    "contact_addresses",
    metadata,
    sa.Column("address", sa.Text, primary_key=True),  # telegram:<id>, telegram:@name, mail:<address>
    sa.Column("contact_id", sa.Text, sa.ForeignKey("contacts.contact_id"), nullable=False),
    sa.Column("confirmed", sa.Boolean, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Index("contact_addresses_contact", "contact_id"),
)

notes = sa.Table(
    "notes",
    metadata,
    sa.Column("note_id", sa.Text, primary_key=True),
    sa.Column("call_id", sa.Text, nullable=False, unique=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("labels", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
)

reminders = sa.Table(
    "reminders",
    metadata,
    sa.Column("reminder_id", sa.Text, primary_key=True),
    sa.Column("call_id", sa.Text, nullable=False, unique=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("zone", sa.Text, nullable=False),
    sa.Column("local_time", sa.Text, nullable=False),  # wall time as the owner said it, ISO without offset
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("labels", Json, nullable=True),  # unknown for older ones
    sa.Column("rule", Json),  # its schedule, unless it is once at `local_time`
    sa.Column("until_event", Json),  # event filters to wait for too; the first of both fires it
    sa.Column("times_past", sa.Integer, nullable=False, server_default="0"),  # how many of its times are past
    sa.Column("snoozed", sa.Boolean, nullable=False, server_default=sa.false()),  # whether `due_at` is not of its rule
    sa.Column("chat", sa.Text, nullable=False, server_default=""),
    sa.Column("rule_at", Instant),  # the next time of its rule; `due_at` is the earlier of this and `again_at`
    sa.Column("again_at", Instant),  # the time of a snooze
    sa.Column("awaits_event", sa.Boolean, nullable=False, server_default=sa.false()),  # whether it has an `until_event`
    sa.Index("reminders_due", "state", "due_at"),
    sa.Index("reminders_awaits", "awaits_event", "state"),
)

choices = sa.Table(
    "choices",
    metadata,
    sa.Column("nonce_sha256", sa.Text, primary_key=True),
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("replied_to", sa.Text, nullable=False, server_default=""),  # the handle of the words' subject
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("used_at", Instant),
    sa.Column("alias", sa.Text, nullable=False, server_default=""),  # a name that the tap gives to an address
    sa.Column("address", sa.Text, nullable=False, server_default=""),
    sa.Column("step", Json),  # the plan step that the tap requests instead of words, and the labels of its arguments
    sa.Column("origins", Json),  # labels of words that came by mail; null for those from the chat
    sa.Index("choices_created", "created_at"),
)

mail_answers = sa.Table(
    "mail_answers",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("correspondent", sa.Text, nullable=False),  # the address, in lower case
    sa.Column("domain", sa.Text, nullable=False),
    sa.Column("thread", sa.Text, nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("progress", Json, nullable=False, server_default="{}"),  # its progress, for answers without an attempt
    sa.Index("mail_answers_correspondent", "correspondent", "at"),
    sa.Index("mail_answers_domain", "domain", "at"),
    sa.Index("mail_answers_thread", "thread", "at"),
)

seen_chats = sa.Table(
    "seen_chats",
    metadata,
    sa.Column("channel", sa.Text, primary_key=True),
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("chat", sa.Text, primary_key=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("muted", sa.Boolean, nullable=False),
    sa.Column("unread", sa.Integer, nullable=False),
    sa.Column("read_order", sa.BigInteger, nullable=False),
    sa.Column("last_order", sa.BigInteger, nullable=False),
    sa.Column("last_at", Instant),
    sa.Column("cursor", sa.Text, nullable=False),
)

seen_messages = sa.Table(
    "seen_messages",
    metadata,
    sa.Column("seq", BigId, primary_key=True, autoincrement=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("ref", sa.Text, nullable=False),
    sa.Column("order", sa.BigInteger, nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("outgoing", sa.Boolean, nullable=False),
    sa.Column("unread", sa.Boolean, nullable=False),
    sa.Column("words", sa.Text, nullable=False),  # case folded: text, subject and sender's name
    sa.Column("item", Json, nullable=False),
    sa.Column("removed_at", Instant),
    sa.Column("changed_at", Instant, nullable=False, server_default="0"),  # when it was stored, changed or removed
    sa.UniqueConstraint("channel", "account", "chat", "ref"),
    sa.Index("seen_messages_order", "channel", "account", "chat", "order"),
    sa.Index("seen_messages_at", "channel", "at"),
    sa.Index("seen_messages_ref", "channel", "account", "ref"),
    sa.Index("seen_messages_changed", "changed_at", "seq"),
)

seen_raws = sa.Table(
    "seen_raws",
    metadata,
    sa.Column("channel", sa.Text, primary_key=True),
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("chat", sa.Text, primary_key=True),
    sa.Column("ref", sa.Text, primary_key=True),
    sa.Column("raw", sa.LargeBinary, nullable=False),  # compressed
)

seen_people = sa.Table(
    "seen_people",
    metadata,
    sa.Column("address", sa.Text, primary_key=True),  # normalized by `contacts.normal`
    sa.Column("source", sa.Text, primary_key=True),  # where they were seen: channel and account
    sa.Column("name", sa.Text, nullable=False),  # the name that they gave themselves
    sa.Column("words", sa.Text, nullable=False),  # case folded: name and address
    sa.Column("received", sa.Integer, nullable=False),  # messages from them
    sa.Column("sent", sa.Integer, nullable=False),  # messages of the owner's to them
    sa.Column("first_at", Instant, nullable=False),
    sa.Column("last_at", Instant, nullable=False),
    sa.Column("put_off_at", Instant),  # the owner wants no suggestion
)

preferences = sa.Table(
    "preferences",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", Json, nullable=False),
    sa.Column("said_in", sa.Text, nullable=False),  # the inbound item by which the owner set it
    sa.Column("set_at", Instant, nullable=False),
)

memory_sources = sa.Table(
    "memory_sources",
    metadata,
    sa.Column("source_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("url", sa.Text),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("origins", Json, nullable=False),
    sa.Column("problems", Json, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),  # digest of its chunks: unchanged ones cost nothing
    sa.Column("chunks", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # stored, or forgotten and not yet removed from the index
    sa.Column("at", Instant),
    sa.Column("added_at", Instant, nullable=False),
    sa.Index("memory_sources_kind", "kind", "added_at"),
)

run_records = sa.Table(
    "run_records",
    metadata,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("adapter_id", sa.Text, nullable=False),
    sa.Column("adapter_operation", sa.Text, nullable=False),
    sa.Column("adapter_contract_version", sa.Text, nullable=False),
    sa.Column("gate", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("trace_id", sa.Text, nullable=False),
    sa.Index("run_records_at", "at"),
)
