"""The tables and figures of the paper, recomputed."""

from ._reproduce import WHAT, Order, Reproduction, reproduce

__all__ = ["WHAT", "Order", "Reproduction", "reproduce"]
