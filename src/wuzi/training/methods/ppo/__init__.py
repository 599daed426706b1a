"""PPO for nets that play without a search (document 002).

Nothing is imported here: the games (``games``) and what is made of their rewards (``returns``) need no torch,
the learner (``trainer``) does.
"""
