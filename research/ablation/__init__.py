"""What each part of a recipe is worth: arms of equal training time, matched against their base."""
