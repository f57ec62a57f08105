"""The `tool_store` suite, on every store of ours."""

from toolgate.testing.contracts.tool_store import *  # noqa: F403
