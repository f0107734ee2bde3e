"""The tables of approvals: what waits, its revisions and buttons, standing rules, and attempts to act."""

import sqlalchemy as sa

from butler.store.instants import Instant
from butler.store.schema import Json, metadata
from butler.store.stored_reasons import StoredReasons

approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("approval_id", sa.Text, primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("args", sa.Text, nullable=False),  # canonical JSON, the very bytes that are hashed
    sa.Column("args_sha256", sa.Text, nullable=False),
    sa.Column("labels", Json, nullable=False),
    sa.Column("reasons", Json, nullable=False),
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("requested_by", sa.Text, nullable=False),  # the inbound that asked for it
    sa.Column("plan_id", sa.Text),
    sa.Column("step_id", sa.Integer),
    sa.Column("call_id", sa.Text, nullable=False, unique=True),
    sa.Column("contract_digest", sa.Text, nullable=False, server_default=""),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("decided_at", Instant),
    sa.Column("decided_by", sa.Text),
    sa.Column("execute_at", Instant),
    sa.Column("finished_at", Instant),
    sa.Column("detail", StoredReasons, nullable=False, server_default=""),
    sa.Column("result", Json),
    sa.Column("card_refs", Json, nullable=False),
    sa.Column("risk", sa.Text, nullable=False, server_default="high"),
    sa.Column("recipients", Json, nullable=False, server_default="[]"),  # the addresses that are reached
    sa.Column(
        "bound", sa.Text, nullable=False, server_default=""
    ),  # canonical JSON of the people and files that its card showed
    sa.Column("rule_id", sa.Text),  # the standing rule that let it pass
    sa.Column("rule_digest", sa.Text),
    sa.Column("batch_id", sa.Text),  # the batch card that shows it, if it has no card of its own
    sa.Column("not_before", Instant),  # its displayed time; null for immediate execution
    sa.Index("approvals_state", "state", "created_at"),
    sa.Index("approvals_requested_by", "requested_by"),
    sa.Index("approvals_chat", "chat", "created_at"),
    sa.Index("approvals_plan", "plan_id"),
    sa.Index("approvals_batch", "batch_id"),
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("approval_id", sa.Text, sa.ForeignKey("approvals.approval_id"), primary_key=True),
    sa.Column("revision", sa.Integer, primary_key=True),
    sa.Column("args", sa.Text, nullable=False),
    sa.Column("args_sha256", sa.Text, nullable=False),
    sa.Column("contract_digest", sa.Text, nullable=False),
    sa.Column("labels", Json, nullable=False),
    sa.Column("reasons", Json, nullable=False),
    sa.Column("replaced_by", sa.Text, nullable=False),  # the inbound whose words changed it
    sa.Column("replaced_at", Instant, nullable=False),
    sa.Column("not_before", Instant),  # the execution time that its card showed
)

buttons = sa.Table(
    "card_buttons",
    metadata,
    sa.Column("nonce_sha256", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # approval, rule, batch, mail
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("verb", sa.Text, nullable=False),
    sa.Column("argument", sa.Text, nullable=False, server_default=""),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("used_at", Instant),
    sa.Index("card_buttons_subject", "kind", "subject"),
)

rules = sa.Table(
    "rules",
    metadata,
    sa.Column("rule_id", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),  # its number for the owner
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("recipients", Json, nullable=False),
    sa.Column("pinned", Json, nullable=False),  # argument to canonical JSON of its only value
    sa.Column("expires_at", Instant),
    sa.Column("max_uses", sa.Integer),
    sa.Column("uses", sa.Integer, nullable=False, server_default="0"),
    sa.Column("made_from", sa.Text, sa.ForeignKey("approvals.approval_id"), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column("card_refs", Json, nullable=False),
    sa.Index("rules_state", "state", "tool"),
)

approval_batches = sa.Table(
    "approval_batches",
    metadata,
    sa.Column("batch_id", sa.Text, primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),  # raised whenever its card must be redrawn
    sa.Column("chat", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("risk", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("showing", sa.Text, nullable=False, server_default=""),  # the approval that its card shows
    sa.Column("seen", Json, nullable=False),  # approval to the revision that was shown in full
    sa.Column("card_refs", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index("approval_batches_open", "state", "chat"),
)

email_fallbacks = sa.Table(
    "email_fallbacks",
    metadata,
    sa.Column("approval_id", sa.Text, sa.ForeignKey("approvals.approval_id"), primary_key=True),
    sa.Column("revision", sa.Integer, primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("message_id", sa.Text, nullable=False, server_default=""),
    sa.Column("sent_at", Instant),
    sa.Column("answered_by", sa.Text, nullable=False, server_default=""),  # the inbound that decided
    sa.Column("told_at", Instant),
)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("attempt_id", sa.Text, primary_key=True),
    sa.Column("approval_id", sa.Text, sa.ForeignKey("approvals.approval_id"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("token", sa.Text, nullable=False),
    sa.Column("progress", Json, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    sa.Column("outcome", sa.Text),
    sa.Column("detail", StoredReasons, nullable=False, server_default=""),
    sa.Column("provider_ref", sa.Text, nullable=False, server_default=""),
    sa.Column("epoch", sa.BigInteger, nullable=False, server_default="0"),  # the epoch of the daemon that began it
    sa.UniqueConstraint("approval_id", "number"),
    sa.Index("attempts_token", "token"),
)
