"""Wiring: settings in, Toolgate out. The only module that names adapters.

Everything is validated before anything is opened, and everything opened is closed by one exit stack.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import msgspec

from toolgate.adapters.system_clock import SystemClock
from toolgate.audit.metrics import PrometheusMeter
from toolgate.bridges.checkpoints import NoCheckpoints
from toolgate.bridges.documents import NoDocuments
from toolgate.config import ConfigurationError, Settings, build_settings, load_settings
from toolgate.engine.intake import Intake
from toolgate.engine.ledger import Ledger
from toolgate.engine.lookup import Lookup
from toolgate.engine.pipeline import Components, Engine
from toolgate.envelopes.l03 import to_response, to_status
from toolgate.errors import MisuseError, ToolNotFound
from toolgate.external.credentials import NoCredentials
from toolgate.external.http import HttpReader
from toolgate.external.http_get import HTTP_ANSWER_SCHEMA, http_get_with
from toolgate.model.call import request_of_call
from toolgate.model.manifest import NetworkPermission, ToolPermissions
from toolgate.model.outcome import Outcome
from toolgate.model.page import InvocationFilter
from toolgate.model.request import ToolInvokeRequest
from toolgate.model.response import (
    ToolCancelResponse,
    ToolInvocationStatus,
    ToolInvokeResponse,
    ToolStatusResponse,
)
from toolgate.permissions.approvals import NoApprovals
from toolgate.permissions.authorise import TokenAuthoriser
from toolgate.permissions.issuer import LOCAL_ISSUER, TokenIssuer
from toolgate.permissions.keys import PublicKeys, load_public_key, open_private_key
from toolgate.permissions.local_agent import LocalAgent
from toolgate.permissions.operator_key import OperatorKey, open_operator_key
from toolgate.permissions.policy import NoPolicy
from toolgate.permissions.revocations import NoRevocations
from toolgate.permissions.settings import PermissionCheckerSettings
from toolgate.permissions.verifier import TokenVerifier
from toolgate.ports import Clock, InvocationHistory, InvocationLog, Outbox, ToolStore
from toolgate.registry.catalog import Catalog
from toolgate.registry.sources.builtin import BUILTIN_TOOLS
from toolgate.registry.sources.native import native_tool, tool
from toolgate.resilience.attempts import OneAttempt
from toolgate.resilience.limits import NoLimits
from toolgate.resilience.recall import NoRecall
from toolgate.sandbox.executor import Executor
from toolgate.sandbox.runners.in_process import InProcessRunner
from toolgate.validation.output import JsonOutputCheck
from toolgate.validation.parameters import JsonParameterCheck
from toolgate.validation.schema import SchemaCompiler


@dataclass(frozen=True, kw_only=True)
class Stores:
    """One database, seen through the ports that ask it different questions."""

    log: InvocationLog
    history: InvocationHistory
    tools: ToolStore
    outbox: Outbox


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What an open gate is made of, for the surfaces."""

    settings: Settings
    clock: Clock
    stores: Stores
    engine: Engine
    lookup: Lookup
    catalog: Catalog
    tokens: TokenVerifier
    issuer: TokenIssuer
    local_agent: LocalAgent
    operator_key: OperatorKey
    meter: PrometheusMeter
    executor: Executor


class Toolgate:
    """One governed `call()` for every tool, embedded in this process.

    `async with Toolgate() as gate:` keeps its records in `.toolgate/` and needs no service.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        data_dir: str | Path | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Clock | None = None,
    ) -> None:
        if url is not None:
            raise MisuseError("a remote Toolgate is not part of this version; leave the URL out to embed one")
        self._settings = _settle(settings, data_dir)
        self._clock = clock or SystemClock()
        self._stack = AsyncExitStack()
        self._parts: Parts | None = None

    async def __aenter__(self) -> Self:
        if self._parts is not None:
            raise MisuseError("this gate is open already")
        async with AsyncExitStack() as stack:
            self._parts = await _open(self._settings, self._clock, stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._parts = None
        await self._stack.aclose()

    @property
    def parts(self) -> Parts:
        """The open gate's components.

        Raises:
            MisuseError: the gate is not open.
        """
        if self._parts is None:
            raise MisuseError("open the gate first: `async with Toolgate() as gate:`")
        return self._parts

    def add(self, function: Callable[..., Any]) -> None:
        """Register a Python function as a tool; `@tool` says how, type hints and docstring do the rest.

        Raises:
            MisuseError: the function cannot be a tool.
            InvalidManifest, DuplicateTool
        """
        self.parts.catalog.add(native_tool(function))

    async def call(self, tool_id: str, parameters: Mapping[str, Any] | None = None, /, **named: Any) -> Outcome:
        """Call a tool as the local agent: `call("add", a=1, b=2)`, or `call("add", {"a": 1}, timeout_seconds=5)`.

        With the parameters in one mapping, keywords are options: `tool_version`, `timeout_seconds`,
        `idempotency_key`, `correlation_id`, `causation_id`, `deadline`, `require_approval`, `priority`, `metadata`.

        Raises:
            MisuseError: an option is unknown. Every other failure is in the outcome.
        """
        parts = self.parts
        if not isinstance(tool_id, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may not type-check
            raise MisuseError("the tool is named by its id, a text")
        try:
            token = parts.local_agent.token_for(tool_id)
        except MisuseError:  # nothing can be called that, so no token can name it
            return await parts.engine.refuse(ToolNotFound(tool_id=ascii(tool_id)[:64]))
        return await parts.engine.invoke(request_of_call(tool_id, parameters, named, capability_token=token))

    async def invoke(self, request: ToolInvokeRequest) -> ToolInvokeResponse:
        """Answer a request of the layer specification. It brings its own capability token."""
        return to_response(await self.parts.engine.invoke(request))

    async def resolve(self, tool_id: str, version_range: str | None = None) -> str:
        """The version that a call with this range would run.

        Raises:
            ToolNotFound, ToolVersionNotFound, VersionConflict
        """
        return (await self.parts.catalog.resolve(tool_id, version_range)).version

    async def status(self, invocation_id: str) -> ToolStatusResponse:
        """What became of an invocation.

        Raises:
            TaskNotFound
        """
        if self.parts.engine.running(invocation_id) is not None:
            return ToolStatusResponse(invocation_id=invocation_id, status=ToolInvocationStatus.RUNNING)
        return to_status(await self.parts.lookup.get(invocation_id))

    async def cancel(self, invocation_id: str, *, reason: str = "cancelled by the caller") -> ToolCancelResponse:
        """Stop an invocation that is under way in this process. One that has ended keeps its outcome.

        Raises:
            TaskNotFound
        """
        if self.parts.engine.running(invocation_id) is None:
            await self.parts.lookup.get(invocation_id)
        return self.parts.engine.cancel(invocation_id, reason=reason)

    async def history(self, *, tool_id: str | None = None, limit: int = 50) -> tuple[Outcome, ...]:
        """Past invocations, newest first."""
        return (await self.parts.lookup.list(InvocationFilter(tool_id=tool_id), limit=limit)).items

    def __repr__(self) -> str:
        state = f"{len(self._parts.catalog)} tools" if self._parts else "closed"
        return f"Toolgate({_scheme(self._settings.store_url)}, {state})"


def _settle(settings: Settings | Mapping[str, Any] | None, data_dir: str | Path | None) -> Settings:
    if settings is None:
        settings = load_settings()
    elif not isinstance(settings, Settings):
        settings = build_settings(settings)
    return settings if data_dir is None else msgspec.structs.replace(settings, data_dir=str(data_dir))


# ---------------------------------------------------------------- opening


async def _open(settings: Settings, clock: Clock, stack: AsyncExitStack) -> Parts:
    data_dir = Path(settings.data_dir)
    private_key = open_private_key(data_dir)
    issuer = TokenIssuer(private_key, clock=clock)
    tokens = _verifier(settings.permission_checker, private_key.public_key(), clock)
    stores = await _open_stores(settings, stack)

    schemas = SchemaCompiler()
    catalog = Catalog(stores.tools, schemas, clock)
    runner = InProcessRunner(clock, threads=settings.executor.threads)
    stack.push_async_callback(runner.close)
    executor = Executor({"in_process": runner})
    await _add_builtin_tools(catalog, stack)

    components = Components(
        tokens=tokens,
        registry=catalog,
        parameters=JsonParameterCheck(schemas, max_parameters_bytes=settings.parameters.max_parameters_bytes),
        authoriser=TokenAuthoriser(NoPolicy(), clock=clock),
        approvals=NoApprovals(),
        recall=NoRecall(),
        limits=NoLimits(),
        documents=NoDocuments(),
        checkpoints=NoCheckpoints(),
        credentials=NoCredentials(),
        attempts=OneAttempt(),
        executor=executor,
        output=JsonOutputCheck(schemas, max_output_bytes=settings.result_validator.max_output_bytes),
    )
    meter = PrometheusMeter()
    engine = Engine(
        components,
        clock=clock,
        intake=Intake(clock, max_timeout_seconds=settings.executor.max_timeout_seconds),
        ledger=Ledger(stores.log, meter),
        history=stores.history,
    )
    return Parts(
        settings=settings,
        clock=clock,
        stores=stores,
        engine=engine,
        lookup=Lookup(stores.history),
        catalog=catalog,
        tokens=tokens,
        issuer=issuer,
        local_agent=LocalAgent(issuer, settings=settings.local_agent, clock=clock),
        operator_key=OperatorKey(open_operator_key(data_dir)),
        meter=meter,
        executor=executor,
    )


def _verifier(settings: PermissionCheckerSettings, local_key: Any, clock: Clock) -> TokenVerifier:
    """Believes the configured key, and our own, with which the embedded gate and `toolgate token mint` sign."""
    keys = [local_key]
    unnamed = None
    if settings.jwt_public_key_path is not None:
        unnamed = load_public_key(Path(settings.jwt_public_key_path))
        keys.append(unnamed)
    return TokenVerifier(
        PublicKeys(keys, unnamed=unnamed),
        settings=settings.trusting(LOCAL_ISSUER),
        clock=clock,
        revocations=NoRevocations(),
    )


async def _open_stores(settings: Settings, stack: AsyncExitStack) -> Stores:
    """Open the store that the URL names; its driver is imported only then."""
    url = settings.store_url
    if url == "memory://":
        from toolgate.adapters.memory.store import MemoryStore

        store: Any = MemoryStore()
    elif url.startswith("sqlite:///"):
        from toolgate.adapters.sqlite.store import SqliteStore

        path = Path(url.removeprefix("sqlite:///"))
        store = await SqliteStore.open(path, synchronous=settings.storage.synchronous)
    elif url.startswith(("postgresql://", "postgres://")):
        from toolgate.adapters.postgres.store import PostgresStore

        store = await PostgresStore.open(url)
    else:
        known = "use sqlite:///FILE, postgresql://… or memory://"
        raise ConfigurationError(f"store: {_scheme(url)} is not known; {known}")
    stack.push_async_callback(store.close)
    return Stores(log=store.log, history=store.history, tools=store.tools, outbox=store.outbox)


def _scheme(url: str) -> str:
    """All that may be said of a store's address: the rest can hold a password."""
    found = re.match(r"[a-z][a-z0-9+.-]*://", url)
    return found[0] if found else "this address"


async def _add_builtin_tools(catalog: Catalog, stack: AsyncExitStack) -> None:
    reader = HttpReader()
    stack.push_async_callback(reader.close)
    http_get = tool(
        http_get_with(reader),
        tool_id="http.get",
        effect="pure",
        category="external_api",
        tags=("demo", "web"),
        permissions=ToolPermissions(network=(NetworkPermission(host="*"),)),
        result_schema=HTTP_ANSWER_SCHEMA,
    )
    for function in (*BUILTIN_TOOLS, http_get):
        catalog.add(native_tool(function))
