#!/bin/sh
# Install ACL2 and its books (Debian's packages acl2 and acl2-books, 2.5 GB on disk), and let its
# formally verified checker of LRAT proofs accept the proofs of all samples.
#
#     sh research/benchmarks/acl2_checker.sh [OPTIONS OF research/benchmarks/checkers.py]
#
# The checker is books/projects/sat/lrat/incremental: it reads a proof in pieces, so that large ones
# do not overflow its stack, as they do that of the list-based one.  Its soundness theorem is in
# soundness.lisp; the certificates of the books are in the package acl2-books-certs.
set -eu

book=projects/sat/lrat/incremental/run
folder=$(cd "$(dirname "$0")/.." && pwd)

if ! command -v acl2 >/dev/null; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends acl2 acl2-books
fi

# A book that is not certified would be loaded with a warning only.
said=$(printf '(include-book "%s" :dir :system)\n' "$book" | acl2)
case $said in
*"ACL2 Warning [Uncertified]"* | *"ACL2 Error"*)
    echo "the book $book is not certified here" >&2
    exit 1
    ;;
esac

exec "${PYTHON:-python3}" "$folder/benchmarks/checkers.py" --checker acl2 "$@"
