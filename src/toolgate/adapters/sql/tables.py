"""The tables of the specifications (layer §5.1.1 to §5.1.4, result record §6.1), and the outbox, in the default schema.

Names and columns are the specifications'. What differs says why beside it. There are no server defaults: the layer
has one clock, and every value comes from the adapter.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from toolgate.adapters.sql import types

NAME_LENGTH = 255
"""Names that come from callers are cut to this length in their stored copy."""

metadata = MetaData()

tool_definitions = Table(
    "tool_definitions",
    metadata,
    Column("tool_id", String(NAME_LENGTH), primary_key=True),
    Column("tool_name", String(NAME_LENGTH), nullable=False),
    Column("description", Text, nullable=False),
    Column("category", String(100), nullable=False),
    Column("tags", types.text_list()),
    Column("latest_version", String(NAME_LENGTH), nullable=False),
    Column("source_type", String(50), nullable=False),
    Column("source_metadata", types.json()),
    Column("deprecation_state", String(20), nullable=False),
    Column("deprecation_date", types.timestamp()),
    Column("created_at", types.timestamp(), nullable=False),
    Column("updated_at", types.timestamp(), nullable=False),
    Column("requires_approval", Boolean, nullable=False),
    # Not INTEGER: a manifest may ask for half a second.
    Column("default_timeout_seconds", Double, nullable=False),
    Column("default_cpu_millicore_limit", Integer, nullable=False),
    Column("default_memory_mb_limit", Integer, nullable=False),
    Column("required_permissions", types.json()),
    Column("result_schema", types.json()),
    Column("retry_policy", types.json()),
    Column("circuit_breaker_config", types.json()),
    # VECTOR(768) needs the pgvector extension on the server; until tool search asks for it, the place is kept.
    Column("description_embedding", types.binary()),
    Index("idx_tool_category", "category"),
    Index("idx_tool_deprecation_state", "deprecation_state"),
)

tool_versions = Table(
    "tool_versions",
    metadata,
    Column("version_id", types.uuid(), primary_key=True),
    Column("tool_id", String(NAME_LENGTH), ForeignKey("tool_definitions.tool_id", ondelete="CASCADE"), nullable=False),
    # A version with pre-release and build parts outgrows the specification's 50 characters.
    Column("version", String(NAME_LENGTH), nullable=False),
    Column("manifest", types.exact_json(), nullable=False),
    Column("compatibility_range", String(100)),
    Column("release_notes", Text),
    Column("deprecated_in_favor_of", String(50)),
    Column("created_at", types.timestamp(), nullable=False),
    Column("removed_at", types.timestamp()),
    # Ours: the order in which the definition lists its versions.
    Column("ordinal", Integer, nullable=False),
    # Its index begins with tool_id, so the specification's idx_tool_version_tool_id would be a second copy.
    UniqueConstraint("tool_id", "version", name="uq_tool_version"),
    Index("idx_tool_version_version", "version"),
)

tool_invocations = Table(
    "tool_invocations",
    metadata,
    Column("invocation_id", types.uuid(), primary_key=True),
    Column("tool_id", String(NAME_LENGTH), nullable=False),
    Column("tool_version", String(NAME_LENGTH), nullable=False),
    Column("agent_did", String(NAME_LENGTH), nullable=False),
    Column("tenant_id", String(NAME_LENGTH), nullable=False),
    Column("session_id", String(NAME_LENGTH)),
    Column("parameters", types.json()),
    Column("result", types.json()),
    Column("status", String(50), nullable=False),
    Column("error_code", String(100)),
    Column("error_message", Text),
    Column("started_at", types.timestamp(), nullable=False),
    Column("completed_at", types.timestamp()),
    # Not INTEGER: four bytes of milliseconds end after 24 days.
    Column("duration_ms", BigInteger),
    Column("cpu_used_millicore_seconds", BigInteger),
    Column("memory_peak_mb", BigInteger),
    Column("network_bytes_sent", BigInteger),
    Column("network_bytes_received", BigInteger),
    Column("documents_accessed", types.json()),
    Column("checkpoints_created", types.json()),
    Column("checkpoint_ref", String(NAME_LENGTH)),
    Column("created_at", types.timestamp(), nullable=False),
    # From here on ours: what the other specifications add, and `details` with the rest of the outcome.
    Column("kind", String(20), nullable=False),
    Column("correlation_id", String(NAME_LENGTH), nullable=False),
    Column("causation_id", String(NAME_LENGTH)),
    Column("user_did", String(NAME_LENGTH)),
    Column("error_number", String(10)),
    Column("error_details", types.json()),
    Column("attempts", Integer, nullable=False),
    Column("details", types.json(), nullable=False),
    # Every index ends in (started_at, invocation_id): a list, newest first, is one backward walk, and an insert goes
    # to the end of its prefix instead of a random page.
    Index("idx_invocation_agent", "agent_did", "started_at", "invocation_id"),
    Index("idx_invocation_tenant", "tenant_id", "started_at", "invocation_id"),
    Index("idx_invocation_tool", "tool_id", "started_at", "invocation_id"),
    Index("idx_invocation_started_at", "started_at", "invocation_id"),
    # Successes are nearly everything: they are found by walking idx_invocation_started_at and cost no entry here.
    Index(
        "idx_invocation_status",
        "kind",
        "started_at",
        "invocation_id",
        sqlite_where=text("kind <> 'success'"),
        postgresql_where=text("kind <> 'success'"),
    ),
    Index("idx_invocation_correlation", "correlation_id"),
)

tool_execution_results = Table(
    "tool_execution_results",
    metadata,
    # The specification gives a result an id of its own. An execution has one result, so it is the execution's.
    Column("id", types.uuid(), primary_key=True),
    Column("execution_id", types.uuid(), nullable=False),
    # The specification's 64 characters are fewer than the 255 of a tool_id.
    Column("tool_name", String(NAME_LENGTH), nullable=False),
    # Text, not JSON: the very bytes that were checked and hashed come back, on PostgreSQL too.
    Column("input_json", Text, nullable=False),
    Column("output_json", Text),
    Column("output_truncated", Boolean, nullable=False),
    Column("status", Integer, nullable=False),
    Column("error_message", String(1024)),
    Column("error_code", String(64)),
    Column("side_effects_json", Text),
    Column("started_at", types.timestamp(), nullable=False),
    Column("completed_at", types.timestamp(), nullable=False),
    Column("duration_ms", BigInteger, nullable=False),
    Column("output_size_bytes", BigInteger),
    Column("sandbox_id", String(NAME_LENGTH)),
    Column("resource_metrics_json", String(4096)),
    Column("agent_id", types.uuid()),
    Column("user_id", types.uuid()),
    Column("batch_id", types.uuid()),
    Column("correlation_id", String(NAME_LENGTH)),
    # The only index beside the key: history by tool, agent, time and status is served by tool_invocations.
    Index("IX_tool_execution_results_execution_id", "execution_id", unique=True),
)

tool_checkpoints = Table(
    "tool_checkpoints",
    metadata,
    Column("checkpoint_id", types.uuid(), primary_key=True),
    # No foreign key: a checkpoint is written while its invocation runs, the invocation's row once it has ended.
    Column("invocation_id", types.uuid(), nullable=False),
    Column("checkpoint_type", String(20), nullable=False),
    Column("checkpoint_label", String(NAME_LENGTH)),
    Column("parent_checkpoint_id", types.uuid()),
    Column("is_delta", Boolean, nullable=False),
    Column("state", types.json(), nullable=False),
    Column("state_compressed", types.binary()),
    Column("state_size_bytes", Integer),
    Column("progress_percent", Integer),
    Column("current_phase", String(100)),
    Column("document_versions", types.json()),
    Column("created_at", types.timestamp(), nullable=False),
    Column("expires_at", types.timestamp()),
    Column("archived_at", types.timestamp()),
    Index("idx_checkpoint_invocation", "invocation_id"),
    Index("idx_checkpoint_type", "checkpoint_type"),
    Index(
        "idx_checkpoint_expires_at",
        "expires_at",
        sqlite_where=text("expires_at IS NOT NULL"),
        postgresql_where=text("expires_at IS NOT NULL"),
    ),
)

event_outbox = Table(
    "event_outbox",
    metadata,
    Column("position", types.position(), Identity(always=False), primary_key=True),
    Column("event_id", String(NAME_LENGTH), nullable=False),
    Column("event_type", String(NAME_LENGTH), nullable=False),
    Column("tenant_id", String(NAME_LENGTH), nullable=False),
    Column("invocation_id", String(NAME_LENGTH), nullable=False),
    Column("time", types.timestamp(), nullable=False),
    # Text, not JSON: an event is published, and chained by hash, byte for byte as it was written.
    Column("body", Text, nullable=False),
    Column("delivered_at", types.timestamp()),
    Index(
        "idx_event_outbox_undelivered",
        "position",
        sqlite_where=text("delivered_at IS NULL"),
        postgresql_where=text("delivered_at IS NULL"),
    ),
    # A position must not come back after the newest rows were deleted.
    sqlite_autoincrement=True,
)
