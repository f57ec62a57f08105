"""An audit event on its way out (layer specification §4.3)."""

from typing import Any

import msgspec
import orjson

from toolgate.model.names import EVENT_SOURCE
from toolgate.model.timestamp import parse_rfc3339, rfc3339
from toolgate.model.well_formed import well_formed


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What happened. It is encoded by whoever writes it, away from the call that gave rise to it.

    `tenant_id` is the partition key.
    """

    event_id: str
    event_type: str
    tenant_id: str
    invocation_id: str
    occurred_at: float
    data: dict[str, Any]

    @property
    def time(self) -> str:
        return rfc3339(self.occurred_at)

    @property
    def body(self) -> bytes:
        """The whole CloudEvents 1.0 document."""
        document = {
            "specversion": "1.0",
            "type": self.event_type,
            "source": EVENT_SOURCE,
            "id": self.event_id,
            "time": self.time,
            "datacontenttype": "application/json",
            "subject": self.invocation_id,
            "data": self.data,
        }
        if self.tenant_id:
            document["partitionkey"] = self.tenant_id  # an empty extension attribute is not a CloudEvent
        try:
            return orjson.dumps(document)
        except TypeError:  # a lone surrogate, from a caller who wants its event to be lost
            return orjson.dumps(well_formed(document))

    @classmethod
    def read(cls, body: bytes) -> "Event":
        """The event that was written as this document."""
        document = orjson.loads(body)
        return cls(
            event_id=document["id"],
            event_type=document["type"],
            tenant_id=document.get("partitionkey", ""),
            invocation_id=document["subject"],
            occurred_at=parse_rfc3339(document["time"]),
            data=document["data"],
        )
