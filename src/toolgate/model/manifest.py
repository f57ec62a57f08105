"""A tool's own description of itself (layer specification §5.2.1, with the fields the other specifications add)."""

from typing import Any, Literal

import msgspec

from toolgate.model.agent import Mount
from toolgate.model.effect import Effect
from toolgate.model.request import Priority

Category = Literal["data_access", "computation", "external_api", "file_system", "llm_interaction"]
SourceType = Literal["native", "mcp", "openapi", "langchain"]

TOOL_ID_PATTERN = r"^[A-Za-z0-9](?:[A-Za-z0-9_.:/-]{0,253}[A-Za-z0-9_])?$"
VERSION_PATTERN = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$"


class NetworkPermission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A host a tool may need. `*` stands for any host: which ones it gets is up to the token."""

    host: str
    port: int | None = None


class ToolPermissions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The most a tool can ever be granted."""

    filesystem: tuple[Mount, ...] = ()
    network: tuple[NetworkPermission, ...] = ()
    credentials: tuple[str, ...] = ()


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_attempts: int = 3
    base_delay_ms: int = 1000
    max_delay_ms: int = 60_000
    retryable_errors: tuple[str, ...] = ()


class CircuitBreakerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    failure_rate_threshold: float | None = None
    sliding_window_size: int | None = None
    wait_duration_seconds: int | None = None


class ExecutionConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    default_timeout_seconds: float = 30
    default_cpu_millicore_limit: int = 500
    default_memory_mb_limit: int = 1024
    requires_approval: bool = False
    retry_policy: RetryPolicy = RetryPolicy()
    circuit_breaker_config: CircuitBreakerConfig | None = None


class ManifestCheckpointConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enabled: bool = False
    interval_seconds: int = 30


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One version of one tool."""

    tool_id: str
    tool_name: str
    version: str
    parameters_schema: dict[str, Any]
    description: str = ""
    category: Category = "computation"
    result_schema: dict[str, Any] | None = None
    permissions: ToolPermissions = ToolPermissions()
    execution_config: ExecutionConfig = ExecutionConfig()

    effect: Effect = Effect.NON_IDEMPOTENT_WRITE
    tags: tuple[str, ...] = ()
    priority: Priority = "normal"
    document_dependencies: tuple[str, ...] = ()
    checkpoint_config: ManifestCheckpointConfig = ManifestCheckpointConfig()
    replacement_tool_id: str | None = None
    owner: str | None = None
    data_classification: str | None = None


class ToolDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """A registered tool: all versions of it that are kept, and where they came from."""

    tool_id: str
    latest_version: str
    versions: tuple[Manifest, ...]
    source_type: SourceType = "native"
    source_metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    deprecation_state: Literal["active", "deprecated", "sunset", "removed"] = "active"

    @property
    def latest(self) -> Manifest:
        return next(manifest for manifest in self.versions if manifest.version == self.latest_version)
