(** The theorems as stated, and what they assume. *)
From Verified Require Import Qbf Checker Sound Prenex Games Unroll Unrolled.
Check @skolem_correct. Print Assumptions skolem_correct.
Check @herbrand_correct. Print Assumptions herbrand_correct.
Check @qdimacs_skolem_correct. Print Assumptions qdimacs_skolem_correct.
Check @qdimacs_herbrand_correct. Print Assumptions qdimacs_herbrand_correct.
Check @nested_skolem_correct. Print Assumptions nested_skolem_correct.
Check @nested_herbrand_correct. Print Assumptions nested_herbrand_correct.
Check @dqdimacs_correct. Print Assumptions dqdimacs_correct.
Check @clauses_correct. Print Assumptions clauses_correct.
Check @black_correct. Print Assumptions black_correct.
Check @white_correct. Print Assumptions white_correct.
