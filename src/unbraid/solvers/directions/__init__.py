"""Directions with one curve per output and a linear part, grown one by one."""
