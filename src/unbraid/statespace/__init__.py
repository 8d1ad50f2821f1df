"""Nonlinear state-space models."""
