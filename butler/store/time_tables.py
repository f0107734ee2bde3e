"""The tables of time and events: what happens, what waits for it, and what was done about it.

Included in `butler.store.tables`.
"""

import sqlalchemy as sa

from butler.store.instants import Instant
from butler.store.schema import BigId, Json, metadata
from butler.store.stored_reasons import StoredReasons

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", BigId, primary_key=True, autoincrement=True),
    sa.Column("event_id", sa.Text, nullable=False, unique=True),
    sa.Column("dedup_key", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("facts", Json, nullable=False),
    sa.Column("origin", Json, nullable=False),
    sa.Column("subject", sa.Text, nullable=False, server_default=""),  # the row it reports, such as an inbound's id
    sa.Column("depth", sa.Integer, nullable=False, server_default="0"),  # how many automations led to it
    sa.Index("events_name", "name", "at"),
    sa.Index("events_at", "at"),
)

firings = sa.Table(
    "firings",
    metadata,
    sa.Column("kind", sa.Text, primary_key=True),  # reminder, digest, automation, ...
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("due_at", Instant, primary_key=True),  # this key ensures that nothing fires twice
    sa.Column("fired_at", Instant, nullable=False),
    sa.Column("message_id", sa.Text),  # the outbox message that reports it
    sa.Column("note", sa.Text, nullable=False, server_default=""),  # a `FiringNote`
    sa.Index("firings_at", "fired_at"),
    sa.Index("firings_message", "message_id"),  # replies to a message look it up
)

automations = sa.Table(
    "automations",
    metadata,
    sa.Column("automation_id", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),  # its number for the owner
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),  # the name of the events it listens to
    sa.Column("spec", Json, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),  # of the spec, as displayed
    sa.Column("source", sa.Text, nullable=False),  # the approval that made it, or the file
    sa.Column("due_at", Instant),  # for scheduled ones
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column(
        "times_past", sa.Integer, nullable=False, server_default="0"
    ),  # how many of its schedule's times are past
    sa.Index("automations_event", "state", "event"),
)

automation_firings = sa.Table(
    "automation_firings",
    metadata,
    sa.Column("automation_id", sa.Text, primary_key=True),
    sa.Column("event_id", sa.Text, primary_key=True),
    sa.Column("replay", sa.Integer, primary_key=True),  # 0, or which replay of the event it was
    sa.Column("at", Instant, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("replay_key", sa.Text, nullable=False, server_default=""),  # of the call that asked for the replay
    sa.Column("plan_id", sa.Text),
    sa.Column("message_id", sa.Text),
    sa.Index("automation_firings_at", "automation_id", "at"),
    sa.Index("automation_firings_time", "at"),
    sa.Index("automation_firings_plan", "plan_id"),
    sa.Index("automation_firings_message", "message_id"),
)

hooks = sa.Table(
    "hooks",
    metadata,
    sa.Column("hook_id", sa.Text, primary_key=True),
    sa.Column("receiver", sa.Text, nullable=False),  # the name in its path
    sa.Column("dedup_key", sa.Text, nullable=False, unique=True),
    sa.Column("received_at", Instant, nullable=False),
    sa.Column("remote", sa.Text, nullable=False),
    sa.Column("headers", Json, nullable=False),  # without authentication headers
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("detail", StoredReasons, nullable=False, server_default=""),
    sa.Column("handled_at", Instant),
    sa.Column("replays", sa.Integer, nullable=False, server_default="0"),
    sa.Column("signed_key", sa.Text, unique=True),  # of what is signed and when, if the key is not signed
    sa.Index("hooks_received", "received_at"),
)

waits = sa.Table(
    "waits",
    metadata,
    sa.Column("wait_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # mail, chat
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("chat", sa.Text, nullable=False),  # the thread or chat in which an answer is expected
    sa.Column("address", sa.Text, nullable=False),  # whose answer
    sa.Column("contact_id", sa.Text, nullable=False, server_default=""),
    sa.Column("about", sa.Text, nullable=False, server_default=""),
    sa.Column("call_id", sa.Text, nullable=False, unique=True),  # the sent message, or the call that asked for the wait
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("since", Instant, nullable=False),
    sa.Column("until", Instant, nullable=False),
    sa.Column("settled_at", Instant),
    sa.Column("labels", Json, nullable=False, server_default="[]"),
    sa.Index("waits_state", "state", "address"),
    sa.Index("waits_settled", "settled_at"),
)

polled = sa.Table(
    "polled",
    metadata,
    sa.Column("channel", sa.Text, primary_key=True),
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # event, file, card
    sa.Column("ref", sa.Text, primary_key=True),  # the provider's id: the key of the upsert
    sa.Column("version", sa.Text, nullable=False, server_default=""),  # the provider's etag, or its time of change
    sa.Column("at", Instant),  # when it begins, is due or was changed
    sa.Column("ends_at", Instant),
    sa.Column("item", Json, nullable=False),
    sa.Column("changed_at", Instant, nullable=False),
    sa.Column("removed_at", Instant),
    sa.Index("polled_at", "kind", "at"),
    sa.Index("polled_removed", "removed_at"),
)

model_use = sa.Table(
    "model_use",
    metadata,
    sa.Column("day", sa.Text, primary_key=True),  # in the owner's zone, ISO
    sa.Column("requests", sa.Integer, nullable=False, server_default="0"),
    sa.Column("tokens", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("cost", sa.Float, nullable=False, server_default="0"),  # US dollars
)
