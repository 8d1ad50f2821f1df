"""From a record to a dynamic model: candidates, comparison, choice."""

from ..dynamics._candidates import CandidateTable, ModelCandidate
from ._identify import identify

__all__ = ["CandidateTable", "ModelCandidate", "identify"]
