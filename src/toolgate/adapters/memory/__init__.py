"""Everything in this process: first-class, and gone with it."""
