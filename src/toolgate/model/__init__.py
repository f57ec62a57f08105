"""The nouns of the specifications. Plain data, no I/O, no clock; everything else in the layer speaks in these."""
