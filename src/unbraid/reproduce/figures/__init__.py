"""Figures of the paper. They need matplotlib, which is imported when one is drawn."""

from ._figures import N_PICTURES, Material, Written, write

__all__ = ["N_PICTURES", "Material", "Written", "write"]
