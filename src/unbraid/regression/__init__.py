"""Decoupling data: a scikit-learn regressor."""
