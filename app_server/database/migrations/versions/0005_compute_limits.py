"""What limits count: admissions, active work, usage and charges."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "limit_admissions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("work", sa.String(length=64), nullable=False),
        sa.Column("admitted_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_limit_admissions")),
    )
    op.create_index(
        op.f("ix_limit_admissions_admitted_at_ms"), "limit_admissions", ["admitted_at_ms"], unique=False
    )
    op.create_index(
        "ix_limit_admissions_action_subject_admitted_at_ms",
        "limit_admissions",
        ["action", "subject", "admitted_at_ms"],
        unique=False,
    )
    op.create_table(
        "limit_leases",
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("work", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("action", "work", name=op.f("pk_limit_leases")),
    )
    op.create_index(op.f("ix_limit_leases_expires_at_ms"), "limit_leases", ["expires_at_ms"], unique=False)
    op.create_table(
        "limit_usage",
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("metric", sa.String(length=16), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "action", "metric", "day", name=op.f("pk_limit_usage")),
    )
    op.create_index(op.f("ix_limit_usage_day"), "limit_usage", ["day"], unique=False)
    op.create_table(
        "limit_charges",
        sa.Column("work", sa.String(length=64), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("attempt_id", sa.String(length=32), nullable=False),
        sa.Column("subjects", sa.JSON(), nullable=False),
        sa.Column("actions", sa.JSON(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("work", "day", name=op.f("pk_limit_charges")),
    )
    op.create_index(op.f("ix_limit_charges_day"), "limit_charges", ["day"], unique=False)
