"""Metadata by column: which rows pass a filter, without looking at each of them."""

from plait.columns.columns import Columns

__all__ = ["Columns"]
