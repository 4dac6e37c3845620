"""Liars: small games whose truth is known by brute force, and files that tell lies about them.

The judges (``bdd``, ``formula``, ``functions``, ``grid``, ``claims``, ``described``, ``referee``)
read the texts of files and import nothing of the product, so that no fault of its readers, rules
or proofs can be theirs as well.  ``recipes`` make the files, ``mutators`` change them at random by
their grammar, ``law`` says what may be said of them, ``campaign`` runs and counts.
"""
