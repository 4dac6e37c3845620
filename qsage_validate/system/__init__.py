"""Child processes, pools, signals, memory and clocks: what is asked of the machine."""
