"""What callers are answered: the response types of the layer specification §4.1, field names exact."""

from enum import StrEnum
from typing import Any, Literal

import msgspec

CheckpointType = Literal["micro", "macro", "named"]


class ToolInvocationStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    PERMISSION_DENIED = "permission_denied"
    PENDING_APPROVAL = "pending_approval"


class ToolError(msgspec.Struct, frozen=True, kw_only=True):
    """A structured error. `number` is the E-number, where the layer specification has one."""

    code: str
    message: str
    details: dict[str, Any] | None = None
    retryable: bool = False
    number: str | None = None
    category: str | None = None


class DocumentAccess(msgspec.Struct, frozen=True, kw_only=True):
    document_id: str
    document_version: str
    access_count: int


class CheckpointMetadata(msgspec.Struct, frozen=True, kw_only=True):
    checkpoint_id: str
    checkpoint_type: CheckpointType
    timestamp: str


class ExecutionMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """Time and resources that the call used."""

    duration_ms: int
    started_at: str
    completed_at: str | None = None
    cpu_used_millicore_seconds: int = 0
    memory_peak_mb: int = 0
    network_bytes_sent: int = 0
    network_bytes_received: int = 0
    documents_accessed: list[DocumentAccess] | None = None
    checkpoints_created: list[CheckpointMetadata] | None = None
    tool_version: str | None = None
    correlation_id: str | None = None
    attempts: int = 0
    notices: list[str] | None = None


class PollingInfo(msgspec.Struct, frozen=True, kw_only=True):
    status_url: str
    estimated_completion_seconds: int | None = None


class ToolInvokeResponse(msgspec.Struct, frozen=True, kw_only=True):
    invocation_id: str
    status: ToolInvocationStatus
    result: Any = None
    error: ToolError | None = None
    execution_metadata: ExecutionMetadata | None = None
    checkpoint_ref: str | None = None
    polling_info: PollingInfo | None = None


class ToolSummary(msgspec.Struct, frozen=True, kw_only=True):
    tool_id: str
    tool_name: str
    description: str
    category: str
    versions: list[str]
    latest_version: str
    tags: list[str]
    requires_approval: bool


class ToolListResponse(msgspec.Struct, frozen=True, kw_only=True):
    tools: list[ToolSummary]
    total_count: int
    page: int
    page_size: int


class ToolStatusResponse(msgspec.Struct, frozen=True, kw_only=True):
    invocation_id: str
    status: ToolInvocationStatus
    progress_percent: int | None = None
    current_phase: str | None = None
    error: ToolError | None = None
    latest_checkpoint: CheckpointMetadata | None = None
    result: Any = None


class ToolCancelResponse(msgspec.Struct, frozen=True, kw_only=True):
    invocation_id: str
    cancelled: bool
    message: str
