"""Branches in words."""
