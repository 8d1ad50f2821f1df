"""The paper as written: dense, slow, obvious. The oracle, and the baseline of the benchmarks."""
