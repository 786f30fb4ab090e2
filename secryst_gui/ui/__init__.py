"""The window: what the engine yields, shown. Qt lives here and in ``app`` only."""
