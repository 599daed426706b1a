"""The ways a net can learn: self-play, distillation and PPO."""
