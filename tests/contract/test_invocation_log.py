"""The `invocation_log` suite, on every store of ours."""

from toolgate.testing.contracts.invocation_log import *  # noqa: F403
