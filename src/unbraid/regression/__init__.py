"""Decoupling data: a scikit-learn regressor."""

from .regressor import DecoupledRegressor

__all__ = ["DecoupledRegressor"]
