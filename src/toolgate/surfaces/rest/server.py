"""Serve REST over HTTP: one process, one event loop, as many connections as there are.

The command line imports this only for the commands that serve.
"""

import logging
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import uvicorn

from toolgate.app import Toolgate
from toolgate.audit.log import get_logger
from toolgate.config import Settings
from toolgate.surfaces.rest.app import RestApp, create_app
from toolgate.surfaces.rest.protocol import GateProtocol

KEEP_ALIVE_SECONDS: Final = 5
GRACE_SECONDS: Final = 30
BACKLOG: Final = 2048

Announce = Callable[[str], None]


class BindError(OSError):
    """The address cannot be listened on. The text says which, and why."""


def serve(
    settings: Settings,
    *,
    host: str | None = None,
    port: int | None = None,
    announce: Announce | None = None,
    prepare: Callable[[Toolgate], None] | None = None,
) -> None:
    """Serve until a signal ends the process; calls under way get 30 seconds to finish.

    `announce` is told the address once it answers (port 0 takes a free one); `prepare` may add tools to the open gate.

    Raises:
        BindError: the address cannot be used.
        ConfigurationError, StoreUnavailable, …: why the gate could not be opened.
    """
    gate = Toolgate(settings=settings)
    app = create_app(gate, prepare=prepare)
    listener = bind(host or settings.server.host, settings.server.port if port is None else port)
    with listener, _server_log():
        RestServer(app, listener, announce=announce).run()


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens on this address; whoever connects waits until the server has started.

    Raises:
        BindError
    """
    if not 0 <= port <= 65_535:  # the resolver would take it modulo 65536
        raise BindError(f"cannot listen on {host}:{port}: a port is a number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise BindError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise BindError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class RestServer(uvicorn.Server):
    """uvicorn, set up for this application. `should_exit = True` stops it from any thread."""

    def __init__(self, app: RestApp, listener: socket.socket, *, announce: Announce | None = None) -> None:
        self._rest_app = app
        self._listener = listener
        self._announce = announce
        super().__init__(_config(app))

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            super().run(sockets or [self._listener])
        except SystemExit:
            if self._rest_app.startup_error is not None:
                raise self._rest_app.startup_error from None
            raise

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._announce is not None:
            self._announce(url_of(self._listener))


def _config(app: RestApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="auto",  # uvloop wherever there is one
        http=GateProtocol,
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class _ServerLog(logging.Handler):
    """Takes what uvicorn says into the layer's own log, where it is redacted."""

    def emit(self, record: logging.LogRecord) -> None:
        get_logger().log(record.levelno, record.getMessage(), source="uvicorn", exc_info=record.exc_info)


@contextmanager
def _server_log() -> Generator[None]:
    logger = logging.getLogger("uvicorn.error")
    before = logger.handlers, logger.propagate, logger.level
    logger.handlers, logger.propagate = [_ServerLog()], False
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.handlers, logger.propagate = before[:2]
        logger.setLevel(before[2])
