"""An audit event on its way out: a CloudEvents 1.0 document with the columns the outbox needs (§4.3)."""

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`body` is the whole CloudEvent, encoded once; `tenant_id` is its partition key."""

    event_id: str
    event_type: str
    tenant_id: str
    invocation_id: str
    time: str
    body: bytes
