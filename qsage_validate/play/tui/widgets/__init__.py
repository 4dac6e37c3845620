"""The widgets of the play's screen."""
