"""`/healthz`, `/readyz`, `/metrics`: for those who run the process. The first two are open and tell nothing more."""

import asyncio
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request

from toolgate.app import Toolgate
from toolgate.surfaces.rest.answer import Answer, json_answer
from toolgate.surfaces.rest.credentials import identify, identify_operator
from toolgate.surfaces.rest.errors import NotReady
from toolgate.surfaces.rest.openapi import document

READY_SECONDS: Final = 2.0
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"


class OperationEndpoints:
    def __init__(self, gate: Toolgate) -> None:
        self._gate = gate

    async def health(self, request: Request) -> Answer:
        """The process is alive."""
        return json_answer({"status": "ok"})

    async def ready(self, request: Request) -> Answer:
        """The store answers.

        Raises:
            NotReady: it does not.
        """
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self._gate.parts.stores.history.exists(_NOBODY)
        except Exception as error:  # whatever it is, a process without its store must get no traffic
            raise NotReady from error
        return json_answer({"status": "ready"})

    async def metrics(self, request: Request) -> Answer:
        await identify_operator(request, self._gate.parts)
        return Answer(200, self._gate.parts.meter.render(), CONTENT_TYPE_LATEST.encode("ascii"))

    async def openapi(self, request: Request) -> Answer:
        await identify(request, self._gate.parts)
        return Answer(200, document())
