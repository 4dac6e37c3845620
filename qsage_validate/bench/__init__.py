"""The evidence: experiments that are run, resumed, spread over machines, and made into tables."""
