"""The tables of the specifications and the outbox."""

import sqlalchemy as sa
from alembic import op

from toolgate.adapters.sql import types

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "tool_definitions",
        sa.Column("tool_id", sa.String(255), primary_key=True),
        sa.Column("tool_name", sa.String(255), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("category", sa.String(100), nullable=False),
        sa.Column("tags", types.text_list()),
        sa.Column("latest_version", sa.String(255), nullable=False),
        sa.Column("source_type", sa.String(50), nullable=False),
        sa.Column("source_metadata", types.json()),
        sa.Column("deprecation_state", sa.String(20), nullable=False),
        sa.Column("deprecation_date", types.timestamp()),
        sa.Column("created_at", types.timestamp(), nullable=False),
        sa.Column("updated_at", types.timestamp(), nullable=False),
        sa.Column("requires_approval", sa.Boolean, nullable=False),
        sa.Column("default_timeout_seconds", sa.Double, nullable=False),
        sa.Column("default_cpu_millicore_limit", sa.Integer, nullable=False),
        sa.Column("default_memory_mb_limit", sa.Integer, nullable=False),
        sa.Column("required_permissions", types.json()),
        sa.Column("result_schema", types.json()),
        sa.Column("retry_policy", types.json()),
        sa.Column("circuit_breaker_config", types.json()),
        sa.Column("description_embedding", types.binary()),
    )
    op.create_index("idx_tool_category", "tool_definitions", ["category"])
    op.create_index("idx_tool_deprecation_state", "tool_definitions", ["deprecation_state"])
    op.create_table(
        "tool_versions",
        sa.Column("version_id", types.uuid(), primary_key=True),
        sa.Column(
            "tool_id", sa.String(255), sa.ForeignKey("tool_definitions.tool_id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("version", sa.String(255), nullable=False),
        sa.Column("manifest", types.exact_json(), nullable=False),
        sa.Column("compatibility_range", sa.String(100)),
        sa.Column("release_notes", sa.Text),
        sa.Column("deprecated_in_favor_of", sa.String(50)),
        sa.Column("created_at", types.timestamp(), nullable=False),
        sa.Column("removed_at", types.timestamp()),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.UniqueConstraint("tool_id", "version", name="uq_tool_version"),
    )
    op.create_index("idx_tool_version_version", "tool_versions", ["version"])
    op.create_table(
        "tool_invocations",
        sa.Column("invocation_id", types.uuid(), primary_key=True),
        sa.Column("tool_id", sa.String(255), nullable=False),
        sa.Column("tool_version", sa.String(255), nullable=False),
        sa.Column("agent_did", sa.String(255), nullable=False),
        sa.Column("tenant_id", sa.String(255), nullable=False),
        sa.Column("session_id", sa.String(255)),
        sa.Column("parameters", types.json()),
        sa.Column("result", types.json()),
        sa.Column("status", sa.String(50), nullable=False),
        sa.Column("error_code", sa.String(100)),
        sa.Column("error_message", sa.Text),
        sa.Column("started_at", types.timestamp(), nullable=False),
        sa.Column("completed_at", types.timestamp()),
        sa.Column("duration_ms", sa.BigInteger),
        sa.Column("cpu_used_millicore_seconds", sa.BigInteger),
        sa.Column("memory_peak_mb", sa.BigInteger),
        sa.Column("network_bytes_sent", sa.BigInteger),
        sa.Column("network_bytes_received", sa.BigInteger),
        sa.Column("documents_accessed", types.json()),
        sa.Column("checkpoints_created", types.json()),
        sa.Column("checkpoint_ref", sa.String(255)),
        sa.Column("created_at", types.timestamp(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("correlation_id", sa.String(255), nullable=False),
        sa.Column("causation_id", sa.String(255)),
        sa.Column("user_did", sa.String(255)),
        sa.Column("error_number", sa.String(10)),
        sa.Column("error_details", types.json()),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("details", types.json(), nullable=False),
    )
    op.create_index("idx_invocation_agent", "tool_invocations", ["agent_did", "started_at", "invocation_id"])
    op.create_index("idx_invocation_tenant", "tool_invocations", ["tenant_id", "started_at", "invocation_id"])
    op.create_index("idx_invocation_tool", "tool_invocations", ["tool_id", "started_at", "invocation_id"])
    op.create_index("idx_invocation_started_at", "tool_invocations", ["started_at", "invocation_id"])
    op.create_index(
        "idx_invocation_status",
        "tool_invocations",
        ["kind", "started_at", "invocation_id"],
        sqlite_where=sa.text("kind <> 'success'"),
        postgresql_where=sa.text("kind <> 'success'"),
    )
    op.create_index("idx_invocation_correlation", "tool_invocations", ["correlation_id"])
    op.create_table(
        "tool_execution_results",
        sa.Column("id", types.uuid(), primary_key=True),
        sa.Column("execution_id", types.uuid(), nullable=False),
        sa.Column("tool_name", sa.String(255), nullable=False),
        sa.Column("input_json", sa.Text, nullable=False),
        sa.Column("output_json", sa.Text),
        sa.Column("output_truncated", sa.Boolean, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("error_message", sa.String(1024)),
        sa.Column("error_code", sa.String(64)),
        sa.Column("side_effects_json", sa.Text),
        sa.Column("started_at", types.timestamp(), nullable=False),
        sa.Column("completed_at", types.timestamp(), nullable=False),
        sa.Column("duration_ms", sa.BigInteger, nullable=False),
        sa.Column("output_size_bytes", sa.BigInteger),
        sa.Column("sandbox_id", sa.String(255)),
        sa.Column("resource_metrics_json", sa.String(4096)),
        sa.Column("agent_id", types.uuid()),
        sa.Column("user_id", types.uuid()),
        sa.Column("batch_id", types.uuid()),
        sa.Column("correlation_id", sa.String(255)),
    )
    op.create_index("IX_tool_execution_results_execution_id", "tool_execution_results", ["execution_id"], unique=True)
    op.create_table(
        "tool_checkpoints",
        sa.Column("checkpoint_id", types.uuid(), primary_key=True),
        sa.Column("invocation_id", types.uuid(), nullable=False),
        sa.Column("checkpoint_type", sa.String(20), nullable=False),
        sa.Column("checkpoint_label", sa.String(255)),
        sa.Column("parent_checkpoint_id", types.uuid()),
        sa.Column("is_delta", sa.Boolean, nullable=False),
        sa.Column("state", types.json(), nullable=False),
        sa.Column("state_compressed", types.binary()),
        sa.Column("state_size_bytes", sa.Integer),
        sa.Column("progress_percent", sa.Integer),
        sa.Column("current_phase", sa.String(100)),
        sa.Column("document_versions", types.json()),
        sa.Column("created_at", types.timestamp(), nullable=False),
        sa.Column("expires_at", types.timestamp()),
        sa.Column("archived_at", types.timestamp()),
    )
    op.create_index("idx_checkpoint_invocation", "tool_checkpoints", ["invocation_id"])
    op.create_index("idx_checkpoint_type", "tool_checkpoints", ["checkpoint_type"])
    op.create_index(
        "idx_checkpoint_expires_at",
        "tool_checkpoints",
        ["expires_at"],
        sqlite_where=sa.text("expires_at IS NOT NULL"),
        postgresql_where=sa.text("expires_at IS NOT NULL"),
    )
    op.create_table(
        "event_outbox",
        sa.Column("position", types.position(), sa.Identity(always=False), primary_key=True),
        sa.Column("event_id", sa.String(255), nullable=False),
        sa.Column("event_type", sa.String(255), nullable=False),
        sa.Column("tenant_id", sa.String(255), nullable=False),
        sa.Column("invocation_id", sa.String(255), nullable=False),
        sa.Column("time", types.timestamp(), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("delivered_at", types.timestamp()),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "idx_event_outbox_undelivered",
        "event_outbox",
        ["position"],
        sqlite_where=sa.text("delivered_at IS NULL"),
        postgresql_where=sa.text("delivered_at IS NULL"),
    )


def downgrade() -> None:
    for table in (
        "event_outbox",
        "tool_checkpoints",
        "tool_execution_results",
        "tool_invocations",
        "tool_versions",
        "tool_definitions",
    ):
        op.drop_table(table)
