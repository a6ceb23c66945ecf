"""From scatter to covariance, and from covariance to factors."""
