"""The `invocation_history` suite, on every store of ours."""

from toolgate.testing.contracts.invocation_history import *  # noqa: F403
