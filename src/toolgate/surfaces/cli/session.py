"""What every command works with: the global options, the settings behind them, and a gate opened from both."""

import logging
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from toolgate.app import Toolgate
    from toolgate.config import Settings

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Session:
    data_dir: Path | None = None
    config: Path | None = None
    as_json: bool = False
    debug: bool = False

    @classmethod
    def of(cls, context: typer.Context) -> "Session":
        """The session that the program's own options described."""
        return context.find_object(cls) or cls()

    def settings(self) -> "Settings":
        """Read the settings.

        Raises:
            ConfigurationError
        """
        import msgspec

        from toolgate.config import load_settings

        settings = load_settings(self.config)
        return settings if self.data_dir is None else msgspec.structs.replace(settings, data_dir=str(self.data_dir))

    @asynccontextmanager
    async def gate(self, tool_sources: Sequence[str] = ()) -> "AsyncGenerator[Toolgate]":
        """An open gate that knows the built-in tools and those of the given modules and files."""
        from toolgate.app import Toolgate
        from toolgate.surfaces.cli.tool_sources import add_tools, load_tools

        functions = [function for source in tool_sources for function in load_tools(source)]
        async with Toolgate(settings=self.settings()) as gate:
            add_tools(gate, functions)
            yield gate

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a command's work to its end."""
        import asyncio

        self._quieten_log()
        return asyncio.run(work)

    def _quieten_log(self) -> None:
        """A command talks to its user in its own words; the log is for who asks for it."""
        if self.debug:
            from toolgate.audit.log import configure_logging

            configure_logging(level="debug")
            return
        logger = logging.getLogger("toolgate")
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
