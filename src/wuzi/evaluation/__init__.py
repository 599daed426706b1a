"""Static evaluations that alpha-beta asks: line scores, and the codebook net that is updated move by move."""
