"""Decoupled functions in other runtimes."""
