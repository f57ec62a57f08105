"""Step 1: from a request to the facts of an invocation. Nothing a caller sends is trusted before it is looked at."""

from typing import Any
from uuid import UUID

import orjson
from uuid_utils import uuid7

from toolgate.audit.redaction import redact
from toolgate.errors import DeadlinePast, FieldError, InvalidParameters
from toolgate.model.agent import ResourceLimits
from toolgate.model.invocation import Invocation
from toolgate.model.pointer import printable
from toolgate.model.proof import Token
from toolgate.model.request import ExecutionOptions, ToolInvokeRequest
from toolgate.model.timestamp import parse_rfc3339
from toolgate.model.tool import Tool
from toolgate.ports import Clock

MAX_ID_LENGTH = 64
MAX_NAME_LENGTH = 255
MAX_METADATA_BYTES = 16_384
_DEFAULT_OPTIONS = ExecutionOptions()


class Intake:
    def __init__(self, clock: Clock, *, max_timeout_seconds: float) -> None:
        self._clock = clock
        self._max_timeout_seconds = max_timeout_seconds

    def blank(self) -> Invocation:
        """An invocation of which nothing is known: for what could not even be read."""
        invocation_id = str(uuid7())
        return Invocation(
            invocation_id=invocation_id,
            correlation_id=invocation_id,
            tool_id="",
            started_at=self._clock.now(),
            timeout_seconds=self._max_timeout_seconds,
        )

    def open(self, request: ToolInvokeRequest) -> Invocation:
        """The facts so far. Never fails: a bad request needs a record too."""
        invocation_id = str(uuid7())
        wanted = request.correlation_id
        options = request.execution_options or _DEFAULT_OPTIONS
        limits = request.resource_limits
        asked = (
            self._max_timeout_seconds if limits is None or limits.timeout_seconds is None else limits.timeout_seconds
        )
        return Invocation(
            invocation_id=invocation_id,
            correlation_id=invocation_id if wanted is None else printable(wanted, limit=MAX_ID_LENGTH),
            causation_id=request.causation_id and printable(request.causation_id, limit=MAX_ID_LENGTH),
            tool_id=printable(request.tool_id, limit=MAX_NAME_LENGTH),
            requested_version=request.tool_version and printable(request.tool_version, limit=MAX_NAME_LENGTH),
            started_at=self._clock.now(),
            idempotency_key=options.idempotency_key and printable(options.idempotency_key, limit=MAX_NAME_LENGTH),
            priority=options.priority,
            timeout_seconds=min(asked, self._max_timeout_seconds),
        )

    def check(self, invocation: Invocation, request: ToolInvokeRequest) -> None:
        """Look at the fields around the parameters.

        Raises:
            InvalidParameters: a field has no meaning here; every fault is listed.
            DeadlinePast: there is no time left.
        """
        faults = _faults(request)
        if faults:
            raise InvalidParameters(summary="the request has faults", errors=faults)
        if request.deadline is not None:
            left = parse_rfc3339(request.deadline) - self._clock.now()
            if left <= 0:
                raise DeadlinePast()
            invocation.timeout_seconds = min(invocation.timeout_seconds, left)

    def wanted_id(self, invocation_id: str) -> str:
        """The caller's invocation id, in the one spelling that is stored."""
        return str(UUID(invocation_id))

    def note_caller(self, invocation: Invocation, token: Token, request: ToolInvokeRequest) -> None:
        """Who calls, now that the token proves it, and what of its wishes nobody here can enforce."""
        invocation.agent_did, invocation.tenant_id = token.agent_did, token.tenant_id
        if request.agent_context is not None:
            user_did = request.agent_context.user_did
            invocation.user_did = user_did and printable(user_did, limit=MAX_NAME_LENGTH)
            invocation.session_id = printable(request.agent_context.session_id, limit=MAX_NAME_LENGTH)
        if request.resource_limits is not None and _asks_for_isolation(request.resource_limits):
            invocation.notices.append("cpu, memory and bandwidth limits are not enforced for tools that run in process")
        invocation.headers = request.headers and redact(request.headers).value
        invocation.metadata = request.metadata and redact(request.metadata).value

    def note_tool(self, invocation: Invocation, tool: Tool) -> None:
        """What is called. The manifest's limits apply from here on: the tighter one wins."""
        manifest = tool.manifest
        invocation.tool_id, invocation.tool_version = manifest.tool_id, manifest.version
        invocation.origin, invocation.effect = tool.origin, manifest.effect
        limit = manifest.execution_config.default_timeout_seconds
        if limit < invocation.timeout_seconds:
            invocation.timeout_seconds = limit


def _faults(request: ToolInvokeRequest) -> list[FieldError]:
    faults: list[FieldError] = []
    if request.invocation_id is not None and not _is_uuid(request.invocation_id):
        faults.append(FieldError("/invocation_id", "must be a UUID", "InvalidFormat"))
    if request.deadline is not None and not _is_timestamp(request.deadline):
        faults.append(FieldError("/deadline", "must be an RFC 3339 timestamp with a time zone", "InvalidFormat"))
    if request.correlation_id is not None and not _is_short_text(request.correlation_id):
        faults.append(_not_short_text("/correlation_id"))
    if request.causation_id is not None and not _is_short_text(request.causation_id):
        faults.append(_not_short_text("/causation_id"))
    if request.headers and not _is_small_json(request.headers):
        faults.append(_not_small_json("/headers"))
    if request.metadata and not _is_small_json(request.metadata):
        faults.append(_not_small_json("/metadata"))
    limits = request.resource_limits
    if limits is not None and limits.timeout_seconds is not None and not limits.timeout_seconds > 0:
        faults.append(FieldError("/resource_limits/timeout_seconds", "must be greater than 0", "InvalidFormat"))
    if request.execution_options is not None:
        faults += _option_faults(request.execution_options)
    return faults


def _asks_for_isolation(limits: ResourceLimits) -> bool:
    return any((limits.cpu_millicore_limit, limits.memory_mb_limit, limits.network_bandwidth_mbps))


def _is_short_text(text: str) -> bool:
    return 0 < len(text) <= MAX_ID_LENGTH and text.isprintable()


def _not_short_text(pointer: str) -> FieldError:
    return FieldError(pointer, f"must be 1 to {MAX_ID_LENGTH} printable characters", "InvalidFormat")


def _is_small_json(value: dict[str, Any]) -> bool:
    try:
        return len(orjson.dumps(value)) <= MAX_METADATA_BYTES
    except TypeError:
        return False


def _not_small_json(pointer: str) -> FieldError:
    return FieldError(pointer, f"must be JSON of at most {MAX_METADATA_BYTES} bytes", "InvalidFormat")


def _option_faults(options: ExecutionOptions) -> list[FieldError]:
    faults: list[FieldError] = []
    if options.async_mode:
        message = "asynchronous invocations are not available on this installation"
        faults.append(FieldError("/execution_options/async_mode", message))
    if options.idempotency_key is not None and not 1 <= len(options.idempotency_key) <= MAX_NAME_LENGTH:
        message = f"must have 1 to {MAX_NAME_LENGTH} characters"
        faults.append(FieldError("/execution_options/idempotency_key", message, "InvalidFormat"))
    return faults


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return len(text) == 36


def _is_timestamp(text: str) -> bool:
    try:
        parse_rfc3339(text)
    except ValueError:
        return False
    return True
