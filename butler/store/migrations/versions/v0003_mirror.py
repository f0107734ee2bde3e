"""What the person's own accounts hold, apart from the inbox, and the people who are seen in it."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_CHOICES = ("alias", "address")


def upgrade() -> None:
    """Nothing that was stored before is of this kind."""
    for name in ("contact_aliases", "contact_addresses"):
        table = sa.table(name, sa.column("source"))
        op.execute(table.update().where(table.c.source == "address_book").values(source="address_book:telegram"))
    for name in _CHOICES:
        op.add_column("choices", sa.Column(name, sa.Text(), server_default="", nullable=False))
    op.create_table(
        "seen_people",
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("received", sa.Integer(), nullable=False),
        sa.Column("sent", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("put_off_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("address", "source", name=op.f("seen_people_pkey")),
    )
    op.create_table(
        "seen_chats",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("muted", sa.Boolean(), nullable=False),
        sa.Column("unread", sa.Integer(), nullable=False),
        sa.Column("read_order", sa.BigInteger(), nullable=False),
        sa.Column("last_order", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=True),
        sa.Column("cursor", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "account", "chat", name=op.f("seen_chats_pkey")),
    )
    op.create_table(
        "seen_messages",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("order", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("outgoing", sa.Boolean(), nullable=False),
        sa.Column("unread", sa.Boolean(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("item", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("seq", name=op.f("seen_messages_pkey")),
        sa.UniqueConstraint(
            "channel", "account", "chat", "ref", name=op.f("seen_messages_channel_account_chat_ref_key")
        ),
    )
    op.create_index("seen_messages_order", "seen_messages", ["channel", "account", "chat", "order"], unique=False)
    op.create_index("seen_messages_at", "seen_messages", ["channel", "at"], unique=False)
    op.create_index("seen_messages_ref", "seen_messages", ["channel", "account", "ref"], unique=False)
    op.create_table(
        "seen_raws",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "account", "chat", "ref", name=op.f("seen_raws_pkey")),
    )


def downgrade() -> None:
    """Accounts are read anew by the next version that keeps this."""
    op.drop_table("seen_raws")
    for index in ("seen_messages_ref", "seen_messages_at", "seen_messages_order"):
        op.drop_index(index, table_name="seen_messages")
    op.drop_table("seen_messages")
    op.drop_table("seen_chats")
    op.drop_table("seen_people")
    for name in reversed(_CHOICES):
        op.drop_column("choices", name)
