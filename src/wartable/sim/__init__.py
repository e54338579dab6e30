"""The simulator: rules become classes of outcomes that kernels count; sessions; a cluster."""
