"""The checker that is proved in Coq (``verified/``): what it is handed, and what it says."""
