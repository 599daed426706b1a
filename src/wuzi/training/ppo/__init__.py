"""PPO for nets that play without a search (seed 002).

Nothing is imported here: the games (:mod:`wuzi.training.ppo.games`) and what is made of their rewards
(:mod:`wuzi.training.ppo.returns`) need no torch, the learner (:mod:`wuzi.training.ppo.trainer`) does.
"""
