"""The forms in which an explanation is written: text, pages, drawings, programs."""
