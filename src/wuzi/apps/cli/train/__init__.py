"""Commands that train nets and make training data."""
