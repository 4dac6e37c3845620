"""The search of one game by many processes, on this machine or on those of a Dask cluster."""
