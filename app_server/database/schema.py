"""The tables as this program knows them. Times are milliseconds since 1970; secrets are sealed text."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

# Marks columns of sealed text: `lectern rotate-secret` and the check at start-up find them by it. The row's
# primary key is the row of the secret's Place.
SEALED = {"sealed": True}

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

users = Table(
    "users",
    metadata,
    Column("id", String(32), primary_key=True),
    # Of an account; a guest and the local user have a stand-in that nobody can type.
    Column("email", String(320), nullable=False, unique=True),
    # Empty for who has no password.
    Column("password_hash", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    # member or admin.
    Column("role", String(16), nullable=False, server_default="member"),
    # Somebody else knows the password: an administrator has no rights until it is changed.
    Column("must_change_password", Boolean, nullable=False, server_default=false()),
    # account, anonymous (a guest), or local: the one user of AUTH_MODE=single-user.
    Column("kind", String(16), nullable=False, server_default="account", index=True),
    # A link in a mail to it was followed, or a sign-in provider vouches for it.
    Column("email_verified", Boolean, nullable=False, server_default=false()),
)

sessions = Table(
    "sessions",
    metadata,
    # SHA-256 of the identifier in the cookie: a stolen table opens no session.
    Column("id_hash", String(64), primary_key=True),
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("renewed_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
    # Of the last renewal, for people who look through their sessions. Null in sessions of an older version.
    Column("user_agent", String(400)),
    Column("address", String(64)),
)

external_identities = Table(
    "external_identities",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    # The provider's own name, which stays when it is configured under another id.
    Column("issuer", String(500), nullable=False),
    Column("subject", String(255), nullable=False),
    # As the provider had them when the identity was linked.
    Column("email", String(320), nullable=False),
    Column("name", String(200), nullable=False),
    Column("linked_at_ms", BigInteger, nullable=False),
    UniqueConstraint("issuer", "subject"),
    UniqueConstraint("user_id", "issuer"),
)

sign_in_flows = Table(
    "sign_in_flows",
    metadata,
    # SHA-256 of the state that the provider brings back.
    Column("state_hash", String(64), primary_key=True),
    Column("provider_id", String(64), nullable=False),
    Column("browser_hash", String(64), nullable=False),
    # Whose account gets another way to sign in; null when somebody signs in.
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), index=True),
    Column("next_address", Text, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", String(100), nullable=False),
    Column("scopes", JSON, nullable=False),
    # SHA-256 of the token: a stolen table lets nobody in.
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("created_at_ms", BigInteger, nullable=False),
    # Null: until it is revoked.
    Column("expires_at_ms", BigInteger, index=True),
    Column("last_used_at_ms", BigInteger),
)

auth_attempts = Table(
    "auth_attempts",
    metadata,
    Column("id", String(32), primary_key=True),
    # SHA-256 of what is limited, such as an address and an account together.
    Column("subject_hash", String(64), nullable=False),
    Column("attempted_at_ms", BigInteger, nullable=False, index=True),
    Index("ix_auth_attempts_subject_hash_attempted_at_ms", "subject_hash", "attempted_at_ms"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("size_bytes", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("sha256", String(64), ForeignKey("blobs.sha256"), nullable=False, index=True),
    Column("file_name", String(255), nullable=False),
    Column("format", String(16), nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("operation_id", String(200)),
    Column("reading_ref", String(500)),
    Column("title", Text, nullable=False),
    Column("authors", JSON, nullable=False),
    Column("language", String(100)),
    # What its owner has put in the place of what the file says of itself.
    Column("own_title", Text),
    Column("own_authors", JSON(none_as_null=True)),
    Column("own_language", String(100)),
    # Of a web page: where it was fetched.
    Column("source_url", Text),
    Column("cover", String(255)),
    Column("character_count", Integer),
    Column("section_count", Integer),
    Column("error_code", String(100)),
    Column("error_message", Text),
    Column("error_retryable", Boolean),
    Column("created_at_ms", BigInteger, nullable=False),
    UniqueConstraint("owner_id", "sha256"),
    Index("ix_documents_owner_id_created_at_ms", "owner_id", "created_at_ms"),
)

reading_positions = Table(
    "reading_positions",
    metadata,
    Column("document_id", String(32), ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("segment_ordinal", Integer, nullable=False),
    Column("block_id", String(100), nullable=False),
    Column("offset", Integer, nullable=False),
    Column("section", Integer, nullable=False),
    Column("fraction", Float, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
)

reading_options = Table(
    "reading_options",
    metadata,
    Column("document_id", String(32), ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    # What is read of it, and the rules of pronunciation that are its own.
    Column("options", JSON, nullable=False),
)

pronunciation_rules = Table(
    "pronunciation_rules",
    metadata,
    # Who wants to hear words so in every document.
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column("rules", JSON, nullable=False),
)

recordings = Table(
    "recordings",
    metadata,
    # Also the name of its objects: recordings/<id>/.
    Column("id", String(32), primary_key=True),
    Column(
        "document_id", String(32), ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("file_name", String(255), nullable=False),
    Column("media_type", String(40), nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    Column("operation_id", String(200)),
    Column("result_ref", String(400)),
    Column("error_code", String(64)),
    Column("error_message", Text),
    Column("error_retryable", Boolean),
)

playback_sessions = Table(
    "playback_sessions",
    metadata,
    # The worker's identifier, which is derived from the owner among others.
    Column("id", String(200), primary_key=True),
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column(
        "document_id", String(32), ForeignKey("documents.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("plan_id", String(200), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False, index=True),
)

providers = Table(
    "providers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("slug", String(64), nullable=False, unique=True),
    Column("display_name", String(200), nullable=False),
    Column("provider_type", String(32), nullable=False),
    Column("base_url", Text, nullable=False),
    # Null when the provider asks for no key.
    Column("api_key", Text, info=SEALED),
    Column("default_model", String(200), nullable=False),
    Column("default_instructions", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
)

runtime_config = Table(
    "runtime_config",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", JSON, nullable=False),
    # seed or admin; a key without a row has its default.
    Column("source", String(16), nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
)

account_email = Table(
    "account_email",
    metadata,
    # One row, named default.
    Column("id", String(16), primary_key=True),
    Column("enabled", Boolean, nullable=False),
    Column("sender_name", String(200), nullable=False),
    Column("sender_email", String(320), nullable=False),
    Column("reply_to", String(320)),
    Column("api_key", Text, nullable=False, info=SEALED),
    Column("updated_at_ms", BigInteger, nullable=False),
)

first_boot = Table(
    "first_boot",
    metadata,
    # What was taken in once and is never again: runtime_config, providers, account_email, administrator.
    Column("input", String(32), primary_key=True),
    Column("consumed_at_ms", BigInteger, nullable=False),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("at_ms", BigInteger, nullable=False, index=True),
    # As they were then: an entry outlives the people and things that it names.
    Column("actor_id", String(32), nullable=False),
    Column("actor_email", String(320), nullable=False),
    Column("action", String(64), nullable=False, index=True),
    Column("target", String(320), nullable=False),
    Column("details", JSON, nullable=False),
)

limit_admissions = Table(
    "limit_admissions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("action", String(32), nullable=False),
    # Who or what is counted: user:<id>, device:<hash>, ip:<hash> or site.
    Column("subject", String(80), nullable=False),
    # What was admitted, such as a document: some work counts once however often it is asked for.
    Column("work", String(64), nullable=False),
    Column("admitted_at_ms", BigInteger, nullable=False, index=True),
    Index("ix_limit_admissions_action_subject_admitted_at_ms", "action", "subject", "admitted_at_ms"),
)

limit_leases = Table(
    "limit_leases",
    metadata,
    Column("action", String(32), primary_key=True),
    Column("work", String(64), primary_key=True),
    # user:<id>, as above.
    Column("subject", String(80), nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
)

limit_usage = Table(
    "limit_usage",
    metadata,
    Column("subject", String(80), primary_key=True),
    Column("action", String(32), primary_key=True),
    Column("metric", String(16), primary_key=True),
    # Of UTC, as in 2026-01-31.
    Column("day", String(10), primary_key=True, index=True),
    Column("amount", BigInteger, nullable=False),
)

limit_charges = Table(
    "limit_charges",
    metadata,
    # One piece of speech and the day: what is made twice is charged once.
    Column("work", String(64), primary_key=True),
    Column("day", String(10), primary_key=True, index=True),
    # Whose attempt it was last; only that one may take the charge back.
    Column("attempt_id", String(32), nullable=False),
    Column("subjects", JSON, nullable=False),
    Column("actions", JSON, nullable=False),
    Column("characters", Integer, nullable=False),
)

email_links = Table(
    "email_links",
    metadata,
    # SHA-256 of what is in the link: a stolen table opens no account.
    Column("token_hash", String(64), primary_key=True),
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    # verify, reset or change.
    Column("purpose", String(16), nullable=False),
    # The inbox that it was sent to; the new address of a change.
    Column("email", String(320), nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
)

email_outbox = Table(
    "email_outbox",
    metadata,
    Column("id", String(32), primary_key=True),
    # Subject and texts with their links. Null when it has been sent or given up.
    Column("message", Text, info=SEALED),
    Column("recipient", String(320), nullable=False),
    # queued, sent or failed.
    Column("state", String(16), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False, index=True),
    # Of no use after this.
    Column("expires_at_ms", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    # Nobody else takes it until then: between attempts, and while one is being made.
    Column("due_at_ms", BigInteger, nullable=False),
    Column("settled_at_ms", BigInteger),
    # What the last attempt met with.
    Column("failure", Text),
    Index("ix_email_outbox_state_due_at_ms", "state", "due_at_ms"),
)

account_exports = Table(
    "account_exports",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(32), ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    # queued, running, ready or failed.
    Column("state", String(16), nullable=False, index=True),
    Column("requested_at_ms", BigInteger, nullable=False),
    # An app server works on it until then, and then another may.
    Column("leased_until_ms", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("size_bytes", BigInteger),
    Column("failure", Text),
    Column("finished_at_ms", BigInteger),
    Column("expires_at_ms", BigInteger, index=True),
)

scheduled_tasks = Table(
    "scheduled_tasks",
    metadata,
    Column("key", String(40), primary_key=True),
    # Null: as the program has it.
    Column("is_enabled", Boolean),
    Column("interval_seconds", Integer),
    Column("retention_days", Integer),
    # Of the run that goes on; one whose lease has lapsed has crashed.
    Column("run_id", String(32)),
    Column("lease_until_ms", BigInteger),
    # Of the latest run.
    Column("started_at_ms", BigInteger),
    Column("finished_at_ms", BigInteger),
    Column("outcome", String(16)),
    Column("counts", JSON),
    Column("message", Text),
)
