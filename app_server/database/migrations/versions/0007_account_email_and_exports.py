"""Devices of sessions, links and messages of account e-mail, and exports of accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sessions", sa.Column("user_agent", sa.String(length=400), nullable=True))
    op.add_column("sessions", sa.Column("address", sa.String(length=64), nullable=True))
    op.create_table(
        "email_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_email_links_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_email_links")),
    )
    op.create_index(op.f("ix_email_links_user_id"), "email_links", ["user_id"], unique=False)
    op.create_index(op.f("ix_email_links_expires_at_ms"), "email_links", ["expires_at_ms"], unique=False)
    op.create_table(
        "email_outbox",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("recipient", sa.String(length=320), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("settled_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_email_outbox")),
    )
    op.create_index(op.f("ix_email_outbox_created_at_ms"), "email_outbox", ["created_at_ms"], unique=False)
    op.create_index("ix_email_outbox_state_due_at_ms", "email_outbox", ["state", "due_at_ms"], unique=False)
    op.create_table(
        "account_exports",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("requested_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("leased_until_ms", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("finished_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_account_exports_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_exports")),
    )
    op.create_index(op.f("ix_account_exports_user_id"), "account_exports", ["user_id"], unique=False)
    op.create_index(op.f("ix_account_exports_state"), "account_exports", ["state"], unique=False)
    op.create_index(
        op.f("ix_account_exports_expires_at_ms"), "account_exports", ["expires_at_ms"], unique=False
    )
