"""The REST application: the hot route in front, Starlette's router behind it, problem documents around both."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolgate.app import Toolgate
from toolgate.audit.log import get_logger
from toolgate.errors import MisuseError, PermissionDenied, StoreUnavailable, ToolgateError
from toolgate.surfaces.rest.errors import HttpError, MethodNotAllowed, NotReady, RouteNotFound
from toolgate.surfaces.rest.invocations import InvocationEndpoints
from toolgate.surfaces.rest.invoke import PATH, InvokeEndpoint
from toolgate.surfaces.rest.operations import OperationEndpoints
from toolgate.surfaces.rest.problem import broken, refused
from toolgate.surfaces.rest.request_id import request_id_of
from toolgate.surfaces.rest.tools import ToolEndpoints

_log = get_logger()


def create_app(
    gate: Toolgate, *, routes: Sequence[BaseRoute] = (), prepare: Callable[[Toolgate], None] | None = None
) -> "RestApp":
    """The application for this gate. One that is not open yet is opened and closed with the server (lifespan).

    `routes` are further paths, for surfaces that share the port; `prepare` is called with the gate once it is open.
    """
    return RestApp(gate, [*_routes(gate), *routes], prepare=prepare)


def _routes(gate: Toolgate) -> list[Route]:
    invocations, tools, operations = InvocationEndpoints(gate), ToolEndpoints(gate), OperationEndpoints(gate)
    return [
        Route(PATH, InvokeEndpoint(gate), methods=["POST"], name="invoke"),
        Route(PATH, invocations.list),
        Route(f"{PATH}/{{invocation_id}}", invocations.show),
        Route("/v1/tools", tools.list),
        Route("/v1/tools/{tool_id:path}/versions", tools.show),
        Route("/v1/tools/{tool_id:path}", tools.show),
        Route("/healthz", operations.health),
        Route("/readyz", operations.ready),
        Route("/metrics", operations.metrics),
        Route("/openapi.json", operations.openapi),
    ]


class RestApp:
    """`startup_error` is why the gate could not be opened, for whoever runs the server."""

    def __init__(
        self, gate: Toolgate, routes: Sequence[BaseRoute], *, prepare: Callable[[Toolgate], None] | None = None
    ) -> None:
        self._gate = gate
        self._prepare = prepare
        self.invoke = InvokeEndpoint(gate)
        self.routes = routes
        self.startup_error: Exception | None = None
        handlers: dict[Any, Any] = {HTTPException: self._http_error, ToolgateError: _toolgate_error}
        self._rest: ASGIApp = ExceptionMiddleware(Router(routes, redirect_slashes=False), handlers=handlers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == PATH:
            await self.invoke(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._route(scope, receive, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self  # Starlette's routes raise instead of answering plain text when there is one
        started = False

        async def note_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._rest(scope, receive, note_start)
        except Exception as bug:
            if started or scope["type"] != "http":
                raise
            await broken(bug, request_id=request_id_of(scope))(scope, receive, send)

    async def _http_error(self, request: Request, error: Exception) -> Response:
        """What the router says in its own words, in ours."""
        status = cast(HTTPException, error).status_code
        if status == 405:
            allowed = ", ".join(self._methods(request.scope))
            headers = ((b"allow", allowed.encode("ascii")),)
            return cast(Response, refused(MethodNotAllowed(allowed=allowed), headers=headers))
        return cast(Response, refused(RouteNotFound() if status == 404 else HttpError()))

    def _methods(self, scope: Scope) -> list[str]:
        matching = (route for route in self.routes if isinstance(route, Route))
        found = [route.methods or set[str]() for route in matching if route.matches(scope)[0] is not Match.NONE]
        return sorted(set[str]().union(*found))

    # ------------------------------------------------------------ lifespan

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with AsyncExitStack() as stack:
            try:
                await self._open(stack)
            except Exception as error:
                self.startup_error = error
                await send({"type": "lifespan.startup.failed", "message": ""})
                return
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _open(self, stack: AsyncExitStack) -> None:
        if not _is_open(self._gate):
            await stack.enter_async_context(self._gate)
        if self._prepare is not None:
            self._prepare(self._gate)

    def __repr__(self) -> str:
        return f"RestApp({self._gate!r}, {len(self.routes)} routes)"


def _is_open(gate: Toolgate) -> bool:
    try:
        _ = gate.parts
    except MisuseError:
        return False
    return True


async def _toolgate_error(request: Request, error: Exception) -> Response:
    if error.__cause__ is not None:
        _log.warning("request failed", request_id=request_id_of(request.scope), exc_info=error)
    elif isinstance(error, PermissionDenied):  # somebody may be trying keys
        client = request.client.host if request.client else None
        _log.info("request denied", request_id=request_id_of(request.scope), number=error.number, client=client)
    if isinstance(error, StoreUnavailable):  # nothing was to be stored here; it is the question that has no answer
        error = NotReady()
    return cast(Response, refused(cast(ToolgateError, error)))
