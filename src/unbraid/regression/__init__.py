"""Decoupling data: a scikit-learn regressor."""

from ._regressor import DecoupledRegressor

__all__ = ["DecoupledRegressor"]
