"""The learner of small nets as compiled kernels: passes, losses and steps without PyTorch."""
