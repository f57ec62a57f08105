"""GUIDs for DIDs (the result-record specification names agents and users by GUID)."""

import uuid

from hypothesis import given
from hypothesis import strategies as st

from toolgate.model.identity import guid_of


def test_the_same_did_is_the_same_guid_on_every_instance() -> None:
    """Pinned: a change would part the stored results from their agents."""
    assert guid_of("did:agent:xyz789") == str(uuid.uuid5(uuid.NAMESPACE_URL, "did:agent:xyz789"))
    assert guid_of("did:agent:xyz789") == "89e0f059-5268-5283-8f03-1d118e4516dc"


@given(st.text(st.characters(codec=None)))
def test_any_did_has_a_guid(did: str) -> None:
    assert uuid.UUID(guid_of(did)).version == 5
