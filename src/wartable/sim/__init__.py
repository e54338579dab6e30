"""The simulator: rules -> classes of outcomes -> counting kernels; sessions; a cluster."""
