"""The values of functions under a choice: by SAT or by simulation."""
