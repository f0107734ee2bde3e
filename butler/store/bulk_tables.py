"""The tables of bulk operations; included in `butler.store.tables`."""

import sqlalchemy as sa

from butler.store.instants import Instant
from butler.store.schema import Json, metadata
from butler.store.stored_reasons import StoredReasons

bulk_runs = sa.Table(
    "bulk_runs",
    metadata,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("adapter", sa.Text, nullable=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("params", sa.Text, nullable=False),  # canonical JSON of the request
    sa.Column("context", Json, nullable=False),  # what the adapter made of the request
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, server_default=""),
    sa.Column("total", sa.Integer, nullable=False, server_default="0"),
    sa.Column("shown", Json),  # the part that the card shows
    sa.Column("call_id", sa.Text, unique=True),  # the approved call that began it
    sa.Column("chat", sa.Text, nullable=False, server_default=""),
    sa.Column("undo_of", sa.Text),
    sa.Column("retry_of", sa.Text),
    sa.Column("message_id", sa.Text),  # the message that shows the progress
    sa.Column("detail", StoredReasons, nullable=False, server_default=""),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("begun_at", Instant),
    sa.Column("ended_at", Instant),
    sa.Column("arrived", sa.Integer, nullable=False, server_default="0"),  # those that arrived after the listing
    sa.Column("tool", sa.Text, nullable=False, server_default=""),  # the requested operation, for the ceilings
    sa.Column("rule_id", sa.Text),  # the recurring rule whose due time listed it
    sa.Column("remark", StoredReasons, nullable=False, server_default=""),  # what its message says about that
    sa.Index("bulk_runs_state", "state", "adapter", "account"),
    sa.Index("bulk_runs_message", "message_id"),
)

bulk_schedules = sa.Table(
    "bulk_schedules",
    metadata,
    sa.Column("rule_id", sa.Text, sa.ForeignKey("rules.rule_id"), primary_key=True),  # which holds the order itself
    sa.Column("due_at", Instant, nullable=False),  # the next due time that is not settled yet
    sa.Column("last_at", Instant),  # the last settled due time
    sa.Column("trouble", StoredReasons, nullable=False, server_default=""),  # the reported reason for a failure
)

bulk_items = sa.Table(
    "bulk_items",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey("bulk_runs.run_id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("item_id", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("detail", StoredReasons, nullable=False, server_default=""),
    sa.Column("sent", sa.Integer, nullable=False, server_default="0"),  # how often it was sent to the provider
    sa.Column("data", Json),  # data that its adapter needs later
    sa.Index("bulk_items_state", "run_id", "state", "seq"),
    sa.Index("bulk_items_item", "run_id", "item_id"),
)
