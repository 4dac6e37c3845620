"""Certificates: Skolem and Herbrand functions, how they are asked and checked."""
