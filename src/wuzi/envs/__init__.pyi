from wuzi.envs.array_env import ArrayEnv as ArrayEnv
from wuzi.envs.array_env import Step as Step
