"""What the process ends with, so that a script can tell failures apart without reading them."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from toolgate.errors import Kind


class ExitCode(IntEnum):
    OK = 0
    TOOL_ERROR = 1
    USAGE = 2
    NOT_FOUND = 3
    DENIED = 4
    WAITS_FOR_APPROVAL = 5
    LIMITED = 6
    TIMEOUT = 7
    UNREACHABLE = 8
    INTERRUPTED = 130
    BROKEN_PIPE = 141


EXIT_CODES: Final[Mapping[Kind, ExitCode]] = {
    Kind.SUCCESS: ExitCode.OK,
    Kind.PENDING: ExitCode.OK,
    Kind.RUNNING: ExitCode.OK,
    Kind.FAILED: ExitCode.TOOL_ERROR,
    Kind.INVALID_OUTPUT: ExitCode.TOOL_ERROR,
    Kind.CANCELLED: ExitCode.TOOL_ERROR,
    Kind.SANDBOX: ExitCode.TOOL_ERROR,
    Kind.RESOURCE: ExitCode.TOOL_ERROR,
    Kind.INVALID_INPUT: ExitCode.USAGE,
    Kind.CONFLICT: ExitCode.USAGE,
    Kind.NOT_FOUND: ExitCode.NOT_FOUND,
    Kind.DENIED: ExitCode.DENIED,
    Kind.UNLICENSED: ExitCode.DENIED,
    Kind.VIOLATION: ExitCode.DENIED,
    Kind.APPROVAL: ExitCode.WAITS_FOR_APPROVAL,
    Kind.RATE_LIMITED: ExitCode.LIMITED,
    Kind.CONCURRENCY: ExitCode.LIMITED,
    Kind.CIRCUIT_OPEN: ExitCode.LIMITED,
    Kind.BUDGET: ExitCode.LIMITED,
    Kind.TIMEOUT: ExitCode.TIMEOUT,
    # The tool is not to blame: the layer itself, or the store it must write to, was not there for the caller.
    Kind.INTERNAL: ExitCode.UNREACHABLE,
}
