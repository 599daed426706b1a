"""What no game knows: atomic files, configuration, places on disk, plug-ins and words in two languages."""
