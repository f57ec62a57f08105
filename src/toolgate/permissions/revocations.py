"""Tokens that were called back, where nobody can call one back."""


class NoRevocations:
    """Implements `Revocations` for an installation without a revocation list: tokens end only when they expire."""

    async def is_revoked(self, jti: str) -> bool:
        return False
