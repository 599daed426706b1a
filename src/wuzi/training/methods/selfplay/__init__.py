"""Games that a net plays against itself, on this machine or a cluster."""
