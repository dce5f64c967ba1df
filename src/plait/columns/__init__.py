"""Metadata by column: which rows pass a filter, without looking at each of them."""
