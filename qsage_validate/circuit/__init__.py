"""And-inverter graphs, quantified circuits and their building blocks."""
