"""The initial schema."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from butler.store.schema import BigId, metadata

revision = "0014"
down_revision = None

Kind = type[sa.types.TypeEngine[Any]] | sa.types.TypeEngine[Any]
Columns = list[sa.Column[Any]]


def _required(kind: Kind, *names: str) -> Columns:
    return [sa.Column(name, kind, nullable=False) for name in names]


def _optional(kind: Kind, *names: str) -> Columns:
    return [sa.Column(name, kind, nullable=True) for name in names]


def _preset(kind: Kind, value: str | sa.False_, *names: str) -> Columns:
    return [sa.Column(name, kind, nullable=False, server_default=value) for name in names]


def _key(kind: Kind, *names: str, autoincrement: bool = False) -> Columns:
    return [sa.Column(name, kind, primary_key=True, autoincrement=autoincrement) for name in names]


TABLES = sa.MetaData(naming_convention=metadata.naming_convention)
"""The tables as of this revision. Later revisions change them, so the program's own tables must not be used here."""

sa.Table(
    "inbox",
    TABLES,
    *_key(BigId, "seq", autoincrement=True),
    *_required(sa.Text, "inbound_id", "dedup_key", "kind", "channel", "identity", "account", "chat", "sender"),
    *_required(sa.Text, "message_ref"),
    *_required(sa.BigInteger, "received_at"),
    *_required(sa.JSON, "item"),
    *_required(sa.Text, "state"),
    *_preset(sa.Text, "", "detail"),
    *_optional(sa.BigInteger, "handled_at", "filed_at"),
    *_optional(sa.JSON, "guard"),
    sa.UniqueConstraint("inbound_id"),
    sa.UniqueConstraint("dedup_key"),
    sa.Index("inbox_channel", "channel", "identity", "seq"),
    sa.Index("inbox_chat", "channel", "identity", "chat", "seq"),
    sa.Index("inbox_message", "chat", "message_ref"),
    sa.Index("inbox_received", "received_at", "seq"),
)

sa.Table(
    "work",
    TABLES,
    *_key(BigId, "work_id", autoincrement=True),
    *_required(sa.Text, "kind", "subject", "lane"),
    *_required(sa.BigInteger, "run_at"),
    *_required(sa.Text, "state"),
    *_preset(sa.Integer, "0", "attempts", "faults"),
    *_preset(sa.Text, "", "last_error"),
    *_required(sa.BigInteger, "created_at"),
    *_optional(sa.Float, "waits_s"),
    sa.Index("work_due", "state", "run_at"),
    sa.Index("work_subject", "subject"),
    sqlite_autoincrement=True,
)

sa.Table(
    "outbox",
    TABLES,
    *_key(sa.Text, "message_id"),
    *_required(sa.Text, "chat"),
    *_required(sa.JSON, "message"),
    *_required(sa.Text, "state"),
    *_optional(sa.JSON, "refs"),
    *_optional(sa.Text, "dedup_key"),
    *_required(sa.BigInteger, "created_at"),
    *_optional(sa.BigInteger, "sent_at"),
    *_preset(sa.Text, "", "detail"),
    sa.UniqueConstraint("dedup_key"),
    sa.Index("outbox_chat", "chat", "state", "sent_at"),
    sa.Index("outbox_created", "created_at"),
    sa.Index("outbox_state", "state"),
)

sa.Table(
    "conversations",
    TABLES,
    *_key(sa.Text, "session_id"),
    *_required(sa.JSON, "state"),
    *_required(sa.BigInteger, "updated_at"),
    sa.Index("conversations_updated", "updated_at"),
)

sa.Table(
    "plans",
    TABLES,
    *_key(sa.Text, "plan_id"),
    *_required(sa.Text, "session_id", "inbound_id"),
    *_required(sa.Integer, "round"),
    *_required(sa.Text, "state"),
    *_required(sa.JSON, "labels"),
    *_required(sa.BigInteger, "created_at", "updated_at"),
    *_optional(sa.JSON, "spent"),
    sa.Index("plans_inbound", "inbound_id"),
    sa.Index("plans_session", "session_id", "created_at"),
    sa.Index("plans_updated", "updated_at"),
)

sa.Table(
    "plan_steps",
    TABLES,
    *_key(sa.Text, "plan_id"),
    *_key(sa.Integer, "step_id"),
    *_required(sa.Text, "tool_call", "description", "status"),
    *_required(sa.JSON, "args", "labels", "depends_on"),
    *_optional(sa.JSON, "when"),
    *_optional(sa.Text, "waiting_on"),
    *_optional(sa.JSON, "outcome"),
    *_optional(sa.BigInteger, "not_before"),
    sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"]),
)

sa.Table(
    "choices",
    TABLES,
    *_key(sa.Text, "nonce_sha256"),
    *_required(sa.Text, "chat", "words"),
    *_preset(sa.Text, "", "replied_to"),
    *_required(sa.BigInteger, "created_at"),
    *_optional(sa.BigInteger, "used_at"),
    *_preset(sa.Text, "", "alias", "address"),
    *_optional(sa.JSON, "step", "origins"),
    sa.Index("choices_created", "created_at"),
)

sa.Table(
    "approvals",
    TABLES,
    *_key(sa.Text, "approval_id"),
    *_required(sa.Integer, "revision"),
    *_required(sa.Text, "state", "tool", "identity", "account", "args", "args_sha256"),
    *_required(sa.JSON, "labels", "reasons"),
    *_required(sa.Text, "chat", "requested_by"),
    *_optional(sa.Text, "plan_id"),
    *_optional(sa.Integer, "step_id"),
    *_required(sa.Text, "call_id"),
    *_preset(sa.Text, "", "contract_digest"),
    *_required(sa.BigInteger, "created_at", "expires_at"),
    *_optional(sa.BigInteger, "decided_at"),
    *_optional(sa.Text, "decided_by"),
    *_optional(sa.BigInteger, "execute_at", "finished_at"),
    *_preset(sa.Text, "", "detail"),
    *_optional(sa.JSON, "result"),
    *_required(sa.JSON, "card_refs"),
    *_preset(sa.Text, "high", "risk"),
    *_preset(sa.JSON, "[]", "recipients"),
    *_preset(sa.Text, "", "bound"),
    *_optional(sa.Text, "rule_id", "rule_digest", "batch_id"),
    *_optional(sa.BigInteger, "not_before"),
    sa.UniqueConstraint("call_id"),
    sa.Index("approvals_chat", "chat", "created_at"),
    sa.Index("approvals_batch", "batch_id"),
    sa.Index("approvals_plan", "plan_id"),
    sa.Index("approvals_requested_by", "requested_by"),
    sa.Index("approvals_state", "state", "created_at"),
)

sa.Table(
    "revisions",
    TABLES,
    *_key(sa.Text, "approval_id"),
    *_key(sa.Integer, "revision"),
    *_required(sa.Text, "args", "args_sha256", "contract_digest"),
    *_required(sa.JSON, "labels", "reasons"),
    *_required(sa.Text, "replaced_by"),
    *_required(sa.BigInteger, "replaced_at"),
    *_optional(sa.BigInteger, "not_before"),
    sa.ForeignKeyConstraint(["approval_id"], ["approvals.approval_id"]),
)

sa.Table(
    "attempts",
    TABLES,
    *_key(sa.Text, "attempt_id"),
    *_required(sa.Text, "approval_id"),
    *_required(sa.Integer, "number"),
    *_required(sa.Text, "token"),
    *_required(sa.JSON, "progress"),
    *_required(sa.BigInteger, "started_at"),
    *_optional(sa.BigInteger, "ended_at"),
    *_optional(sa.Text, "outcome"),
    *_preset(sa.Text, "", "detail", "provider_ref"),
    *_preset(sa.BigInteger, "0", "epoch"),
    sa.ForeignKeyConstraint(["approval_id"], ["approvals.approval_id"]),
    sa.UniqueConstraint("approval_id", "number"),
    sa.Index("attempts_token", "token"),
)

sa.Table(
    "card_buttons",
    TABLES,
    *_key(sa.Text, "nonce_sha256"),
    *_required(sa.Text, "kind", "subject"),
    *_required(sa.Integer, "revision"),
    *_required(sa.Text, "verb"),
    *_preset(sa.Text, "", "argument"),
    *_required(sa.Text, "owner", "chat"),
    *_required(sa.BigInteger, "created_at"),
    *_optional(sa.BigInteger, "used_at"),
    sa.Index("card_buttons_subject", "kind", "subject"),
)

sa.Table(
    "rules",
    TABLES,
    *_key(sa.Text, "rule_id"),
    *_required(sa.Integer, "number", "revision"),
    *_required(sa.Text, "state", "tool", "account", "chat"),
    *_required(sa.JSON, "recipients", "pinned"),
    *_optional(sa.BigInteger, "expires_at"),
    *_optional(sa.Integer, "max_uses"),
    *_preset(sa.Integer, "0", "uses"),
    *_required(sa.Text, "made_from"),
    *_required(sa.BigInteger, "created_at", "updated_at"),
    *_required(sa.JSON, "card_refs"),
    sa.ForeignKeyConstraint(["made_from"], ["approvals.approval_id"]),
    sa.UniqueConstraint("number"),
    sa.Index("rules_state", "state", "tool"),
)

sa.Table(
    "approval_batches",
    TABLES,
    *_key(sa.Text, "batch_id"),
    *_required(sa.Integer, "revision", "version"),
    *_required(sa.Text, "chat", "tool", "risk", "state"),
    *_preset(sa.Text, "", "showing"),
    *_required(sa.JSON, "seen", "card_refs"),
    *_required(sa.BigInteger, "created_at"),
    sa.Index("approval_batches_open", "state", "chat"),
)

sa.Table(
    "email_fallbacks",
    TABLES,
    *_key(sa.Text, "approval_id"),
    *_key(sa.Integer, "revision"),
    *_required(sa.Text, "address"),
    *_preset(sa.Text, "", "message_id"),
    *_optional(sa.BigInteger, "sent_at"),
    *_preset(sa.Text, "", "answered_by"),
    *_optional(sa.BigInteger, "told_at"),
    sa.ForeignKeyConstraint(["approval_id"], ["approvals.approval_id"]),
)

sa.Table(
    "bulk_runs",
    TABLES,
    *_key(sa.Text, "run_id"),
    *_required(sa.Text, "adapter", "account", "params"),
    *_required(sa.JSON, "context"),
    *_required(sa.Text, "state"),
    *_preset(sa.Text, "", "digest"),
    *_preset(sa.Integer, "0", "total"),
    *_optional(sa.JSON, "shown"),
    *_optional(sa.Text, "call_id"),
    *_preset(sa.Text, "", "chat"),
    *_optional(sa.Text, "undo_of", "retry_of", "message_id"),
    *_preset(sa.Text, "", "detail"),
    *_required(sa.BigInteger, "created_at"),
    *_optional(sa.BigInteger, "begun_at", "ended_at"),
    *_preset(sa.Integer, "0", "arrived"),
    *_preset(sa.Text, "", "tool"),
    *_optional(sa.Text, "rule_id"),
    *_preset(sa.Text, "", "remark"),
    sa.UniqueConstraint("call_id"),
    sa.Index("bulk_runs_message", "message_id"),
    sa.Index("bulk_runs_state", "state", "adapter", "account"),
)

sa.Table(
    "bulk_items",
    TABLES,
    *_key(sa.Text, "run_id"),
    *_key(sa.Integer, "seq"),
    *_required(sa.Text, "item_id", "name", "state"),
    *_preset(sa.Text, "", "detail"),
    *_preset(sa.Integer, "0", "sent"),
    *_optional(sa.JSON, "data"),
    sa.ForeignKeyConstraint(["run_id"], ["bulk_runs.run_id"]),
    sa.Index("bulk_items_item", "run_id", "item_id"),
    sa.Index("bulk_items_state", "run_id", "state", "seq"),
)

sa.Table(
    "bulk_schedules",
    TABLES,
    *_key(sa.Text, "rule_id"),
    *_required(sa.BigInteger, "due_at"),
    *_optional(sa.BigInteger, "last_at"),
    *_preset(sa.Text, "", "trouble"),
    sa.ForeignKeyConstraint(["rule_id"], ["rules.rule_id"]),
)

sa.Table(
    "run_records",
    TABLES,
    *_key(sa.Text, "run_id"),
    *_required(sa.BigInteger, "at"),
    *_required(sa.Text, "status", "tool", "adapter_id", "adapter_operation", "adapter_contract_version", "gate"),
    *_required(sa.Text, "message", "trace_id"),
    sa.Index("run_records_at", "at"),
)

sa.Table(
    "daemons",
    TABLES,
    *_key(BigId, "epoch", autoincrement=True),
    *_required(sa.Text, "token", "place"),
    *_required(sa.Integer, "process"),
    *_required(sa.BigInteger, "started_at"),
    sqlite_autoincrement=True,
)

sa.Table(
    "audit",
    TABLES,
    *_key(BigId, "seq"),
    *_required(sa.BigInteger, "at"),
    *_required(sa.Text, "kind", "subject", "actor", "data", "previous_hash", "hash"),
    sa.Index("audit_subject", "subject"),
)

sa.Table(
    "cursors",
    TABLES,
    *_key(sa.Text, "name"),
    *_required(sa.Text, "value"),
    *_required(sa.BigInteger, "updated_at"),
)

sa.Table(
    "facts",
    TABLES,
    *_key(sa.Text, "name"),
    *_required(sa.JSON, "value"),
    *_required(sa.BigInteger, "updated_at"),
)

sa.Table(
    "model_use",
    TABLES,
    *_key(sa.Text, "day"),
    *_preset(sa.Integer, "0", "requests"),
    *_preset(sa.BigInteger, "0", "tokens"),
    *_preset(sa.Float, "0", "cost"),
)

sa.Table(
    "preferences",
    TABLES,
    *_key(sa.Text, "name"),
    *_required(sa.JSON, "value"),
    *_required(sa.Text, "said_in"),
    *_required(sa.BigInteger, "set_at"),
)

sa.Table(
    "contacts",
    TABLES,
    *_key(sa.Text, "contact_id"),
    *_required(sa.Text, "name"),
    *_required(sa.BigInteger, "created_at"),
)

sa.Table(
    "contact_addresses",
    TABLES,
    *_key(sa.Text, "address"),
    *_required(sa.Text, "contact_id"),
    *_required(sa.Boolean, "confirmed"),
    *_required(sa.Text, "source"),
    sa.ForeignKeyConstraint(["contact_id"], ["contacts.contact_id"]),
    sa.Index("contact_addresses_contact", "contact_id"),
)

sa.Table(
    "contact_aliases",
    TABLES,
    *_key(sa.Text, "contact_id", "alias"),
    *_required(sa.Boolean, "confirmed"),
    *_required(sa.Text, "source"),
    sa.ForeignKeyConstraint(["contact_id"], ["contacts.contact_id"]),
)

sa.Table(
    "notes",
    TABLES,
    *_key(sa.Text, "note_id"),
    *_required(sa.Text, "call_id", "text"),
    *_required(sa.JSON, "labels"),
    *_required(sa.BigInteger, "created_at"),
    sa.UniqueConstraint("call_id"),
)

sa.Table(
    "reminders",
    TABLES,
    *_key(sa.Text, "reminder_id"),
    *_required(sa.Text, "call_id", "text", "zone", "local_time"),
    *_required(sa.BigInteger, "due_at"),
    *_required(sa.Text, "state"),
    *_required(sa.BigInteger, "created_at"),
    *_optional(sa.JSON, "labels", "rule", "until_event"),
    *_preset(sa.Integer, "0", "said"),
    *_preset(sa.Boolean, sa.false(), "snoozed"),
    *_preset(sa.Text, "", "chat"),
    *_optional(sa.BigInteger, "rule_at", "again_at"),
    *_preset(sa.Boolean, sa.false(), "awaits_event"),
    sa.UniqueConstraint("call_id"),
    sa.Index("reminders_awaits", "awaits_event", "state"),
    sa.Index("reminders_due", "state", "due_at"),
)

sa.Table(
    "firings",
    TABLES,
    *_key(sa.Text, "kind", "subject"),
    *_key(sa.BigInteger, "due_at"),
    *_required(sa.BigInteger, "fired_at"),
    *_optional(sa.Text, "message_id"),
    *_preset(sa.Text, "", "note"),
    sa.Index("firings_at", "fired_at"),
    sa.Index("firings_message", "message_id"),
)

sa.Table(
    "events",
    TABLES,
    *_key(BigId, "seq", autoincrement=True),
    *_required(sa.Text, "event_id", "dedup_key", "name", "channel", "identity", "account"),
    *_required(sa.BigInteger, "at"),
    *_required(sa.JSON, "facts", "origin"),
    *_preset(sa.Text, "", "subject"),
    *_preset(sa.Integer, "0", "depth"),
    sa.UniqueConstraint("event_id"),
    sa.UniqueConstraint("dedup_key"),
    sa.Index("events_at", "at"),
    sa.Index("events_name", "name", "at"),
)

sa.Table(
    "automations",
    TABLES,
    *_key(sa.Text, "automation_id"),
    *_required(sa.Integer, "number"),
    *_required(sa.Text, "name", "state", "event"),
    *_required(sa.JSON, "spec"),
    *_required(sa.Text, "digest", "source"),
    *_optional(sa.BigInteger, "due_at"),
    *_required(sa.BigInteger, "created_at", "updated_at"),
    *_preset(sa.Integer, "0", "said"),
    sa.UniqueConstraint("number"),
    sa.Index("automations_event", "state", "event"),
)

sa.Table(
    "automation_firings",
    TABLES,
    *_key(sa.Text, "automation_id", "event_id"),
    *_key(sa.Integer, "replay"),
    *_required(sa.BigInteger, "at"),
    *_required(sa.Text, "state"),
    *_preset(sa.Text, "", "replay_key"),
    *_optional(sa.Text, "plan_id", "message_id"),
    sa.Index("automation_firings_at", "automation_id", "at"),
    sa.Index("automation_firings_message", "message_id"),
    sa.Index("automation_firings_plan", "plan_id"),
    sa.Index("automation_firings_time", "at"),
)

sa.Table(
    "waits",
    TABLES,
    *_key(sa.Text, "wait_id"),
    *_required(sa.Text, "kind", "account", "chat", "address"),
    *_preset(sa.Text, "", "contact_id", "about"),
    *_required(sa.Text, "call_id", "state"),
    *_required(sa.BigInteger, "since", "until"),
    *_optional(sa.BigInteger, "settled_at"),
    *_preset(sa.JSON, "[]", "labels"),
    sa.UniqueConstraint("call_id"),
    sa.Index("waits_settled", "settled_at"),
    sa.Index("waits_state", "state", "address"),
)

sa.Table(
    "hooks",
    TABLES,
    *_key(sa.Text, "hook_id"),
    *_required(sa.Text, "receiver", "dedup_key"),
    *_required(sa.BigInteger, "received_at"),
    *_required(sa.Text, "remote"),
    *_required(sa.JSON, "headers"),
    *_required(sa.LargeBinary, "body"),
    *_required(sa.Text, "state"),
    *_preset(sa.Text, "", "detail"),
    *_optional(sa.BigInteger, "handled_at"),
    *_preset(sa.Integer, "0", "replays"),
    *_optional(sa.Text, "signed_key"),
    sa.UniqueConstraint("dedup_key"),
    sa.UniqueConstraint("signed_key"),
    sa.Index("hooks_received", "received_at"),
)

sa.Table(
    "polled",
    TABLES,
    *_key(sa.Text, "channel", "account", "kind", "ref"),
    *_preset(sa.Text, "", "version"),
    *_optional(sa.BigInteger, "at", "ends_at"),
    *_required(sa.JSON, "item"),
    *_required(sa.BigInteger, "changed_at"),
    *_optional(sa.BigInteger, "removed_at"),
    sa.Index("polled_at", "kind", "at"),
    sa.Index("polled_removed", "removed_at"),
)

sa.Table(
    "mail_answers",
    TABLES,
    *_key(sa.Text, "key"),
    *_required(sa.Text, "correspondent", "domain", "thread"),
    *_required(sa.BigInteger, "at"),
    *_preset(sa.JSON, "{}", "progress"),
    sa.Index("mail_answers_correspondent", "correspondent", "at"),
    sa.Index("mail_answers_domain", "domain", "at"),
    sa.Index("mail_answers_thread", "thread", "at"),
)

sa.Table(
    "memory_sources",
    TABLES,
    *_key(sa.Text, "source_id"),
    *_required(sa.Text, "kind", "title"),
    *_optional(sa.Text, "url"),
    *_required(sa.Text, "account", "person"),
    *_required(sa.JSON, "origins", "problems"),
    *_required(sa.Text, "digest"),
    *_required(sa.Integer, "chunks"),
    *_required(sa.Text, "state"),
    *_optional(sa.BigInteger, "at"),
    *_required(sa.BigInteger, "added_at"),
    sa.Index("memory_sources_kind", "kind", "added_at"),
)

sa.Table(
    "seen_chats",
    TABLES,
    *_key(sa.Text, "channel", "account", "chat"),
    *_required(sa.Text, "title", "kind"),
    *_required(sa.Boolean, "muted"),
    *_required(sa.Integer, "unread"),
    *_required(sa.BigInteger, "read_order", "last_order"),
    *_optional(sa.BigInteger, "last_at"),
    *_required(sa.Text, "cursor"),
)

sa.Table(
    "seen_messages",
    TABLES,
    *_key(BigId, "seq", autoincrement=True),
    *_required(sa.Text, "channel", "account", "chat", "ref"),
    *_required(sa.BigInteger, "order", "at"),
    *_required(sa.Boolean, "outgoing", "unread"),
    *_required(sa.Text, "words"),
    *_required(sa.JSON, "item"),
    *_optional(sa.BigInteger, "removed_at"),
    *_preset(sa.BigInteger, "0", "changed_at"),
    sa.UniqueConstraint("channel", "account", "chat", "ref"),
    sa.Index("seen_messages_at", "channel", "at"),
    sa.Index("seen_messages_changed", "changed_at", "seq"),
    sa.Index("seen_messages_order", "channel", "account", "chat", "order"),
    sa.Index("seen_messages_ref", "channel", "account", "ref"),
)

sa.Table(
    "seen_raws",
    TABLES,
    *_key(sa.Text, "channel", "account", "chat", "ref"),
    *_required(sa.LargeBinary, "raw"),
)

sa.Table(
    "seen_people",
    TABLES,
    *_key(sa.Text, "address", "source"),
    *_required(sa.Text, "name", "words"),
    *_required(sa.Integer, "received", "sent"),
    *_required(sa.BigInteger, "first_at", "last_at"),
    *_optional(sa.BigInteger, "put_off_at"),
)


def upgrade() -> None:
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop every table with its rows."""
    TABLES.drop_all(op.get_bind(), checkfirst=False)
