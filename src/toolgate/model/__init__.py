"""The nouns of the specifications. Plain data, no I/O, no clock; everything else in the layer speaks in these.

Structs that are made on every call say `gc=False`: they never take part in a reference cycle, so the collector need
not look at them.
"""
