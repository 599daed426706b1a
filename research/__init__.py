"""wuzi's own research, on top of the package and not installed with it: comparisons, ablations, claims."""
