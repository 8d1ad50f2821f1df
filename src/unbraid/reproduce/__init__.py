"""The tables and figures of the paper, computed anew beside the published numbers."""

from ._reproduce import WHAT, Order, Reproduction, reproduce

__all__ = ["WHAT", "Order", "Reproduction", "reproduce"]
