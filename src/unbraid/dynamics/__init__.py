"""What NARX and state-space models share: records, static maps, scores, figures."""
