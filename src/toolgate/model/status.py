"""The status table: what each kind of outcome is called in each specification."""

from enum import IntEnum
from typing import Literal, NamedTuple

from toolgate.errors import Kind
from toolgate.model.response import ToolInvocationStatus as L03

EnvelopeStatus = Literal["Ok", "Error", "Retryable"]


class ToolExecutionStatus(IntEnum):
    """The numeric statuses of the result-record specification."""

    SUCCESS = 0
    TIMEOUT = 1
    CANCELLED = 2
    REQUIRES_CONFIRMATION = 3
    PERMISSION_DENIED = 10
    LICENSE_REQUIRED = 11
    VALIDATION_ERROR = 20
    OUTPUT_VALIDATION_FAILED = 21
    FAILED = 30
    TOOL_NOT_FOUND = 31
    RATE_LIMITED = 32
    SANDBOX_ERROR = 40
    SECURITY_VIOLATION = 41
    RESOURCE_LIMIT_EXCEEDED = 42


class StatusRow(NamedTuple):
    """`result` and `envelope` are None or empty where that specification has no result yet."""

    l03: L03
    result: ToolExecutionStatus | None
    envelope: tuple[EnvelopeStatus, ...]
    http: int


_RES = ToolExecutionStatus
_ERROR: tuple[EnvelopeStatus, ...] = ("Error",)
_RETRYABLE: tuple[EnvelopeStatus, ...] = ("Retryable", "Error")

STATUS_TABLE: dict[Kind, StatusRow] = {
    Kind.SUCCESS: StatusRow(L03.SUCCESS, _RES.SUCCESS, ("Ok",), 200),
    Kind.PENDING: StatusRow(L03.PENDING, None, (), 202),
    Kind.RUNNING: StatusRow(L03.RUNNING, None, (), 202),
    Kind.TIMEOUT: StatusRow(L03.TIMEOUT, _RES.TIMEOUT, _RETRYABLE, 504),
    Kind.CANCELLED: StatusRow(L03.CANCELLED, _RES.CANCELLED, _ERROR, 499),
    Kind.APPROVAL: StatusRow(L03.PENDING_APPROVAL, _RES.REQUIRES_CONFIRMATION, (), 202),
    Kind.DENIED: StatusRow(L03.PERMISSION_DENIED, _RES.PERMISSION_DENIED, _ERROR, 403),
    Kind.UNLICENSED: StatusRow(L03.PERMISSION_DENIED, _RES.LICENSE_REQUIRED, _ERROR, 403),
    Kind.INVALID_INPUT: StatusRow(L03.ERROR, _RES.VALIDATION_ERROR, _ERROR, 422),
    Kind.INVALID_OUTPUT: StatusRow(L03.ERROR, _RES.OUTPUT_VALIDATION_FAILED, _ERROR, 502),
    Kind.FAILED: StatusRow(L03.ERROR, _RES.FAILED, _RETRYABLE, 502),
    Kind.NOT_FOUND: StatusRow(L03.ERROR, _RES.TOOL_NOT_FOUND, _ERROR, 404),
    Kind.RATE_LIMITED: StatusRow(L03.ERROR, _RES.RATE_LIMITED, _RETRYABLE, 429),
    Kind.CONCURRENCY: StatusRow(L03.ERROR, _RES.RATE_LIMITED, _RETRYABLE, 429),
    Kind.CIRCUIT_OPEN: StatusRow(L03.ERROR, _RES.FAILED, _RETRYABLE, 503),
    Kind.BUDGET: StatusRow(L03.ERROR, _RES.RATE_LIMITED, _ERROR, 429),
    Kind.SANDBOX: StatusRow(L03.ERROR, _RES.SANDBOX_ERROR, _RETRYABLE, 500),
    Kind.VIOLATION: StatusRow(L03.ERROR, _RES.SECURITY_VIOLATION, _ERROR, 403),
    Kind.RESOURCE: StatusRow(L03.ERROR, _RES.RESOURCE_LIMIT_EXCEEDED, _ERROR, 507),
    Kind.CONFLICT: StatusRow(L03.ERROR, _RES.VALIDATION_ERROR, _ERROR, 409),
    Kind.INTERNAL: StatusRow(L03.ERROR, _RES.FAILED, _ERROR, 500),
}

UNFINISHED = frozenset({Kind.PENDING, Kind.RUNNING, Kind.APPROVAL})
"""Kinds that are not terminal: exactly one of the others ends every invocation."""
