"""PPO for nets that play without a search (document 002)."""
