"""Figures of the paper; matplotlib is imported when one is drawn."""

from ._figures import N_FIGURES, FigureData, WrittenFigure, write_figures

__all__ = ["N_FIGURES", "FigureData", "WrittenFigure", "write_figures"]
