"""REST under `/v1`: parses, asks the gate, renders. What a call means is decided in the engine."""
