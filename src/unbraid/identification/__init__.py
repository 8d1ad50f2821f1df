"""From a record to a dynamic model: candidates, comparison, choice."""

from ..dynamics._candidates import Candidate, CandidateTable
from ._identify import identify

__all__ = ["Candidate", "CandidateTable", "identify"]
