; Chomp with two rows: eat a biscuit and all that are below it or to its right; whoever must eat
; the last one, in the corner, loses (so the play ends when only it is left).
(define (domain two-row-chomp)
  (:objects ?v1 ?v2)
  (:tercondition (and (= ?v1 1) (= ?v2 0)))
  (:constraint (and (>= ?v1 1) (>= ?v2 0) (<= ?v2 ?v1)))
  (:action upper
    :parameters (?k)
    :precondition (and (>= ?k 2) (<= ?k ?v1))
    :effect (and (assign ?v1 (- ?k 1)) (when (>= ?v2 ?k) (assign ?v2 (- ?k 1)))))
  (:action lower
    :parameters (?k)
    :precondition (and (>= ?k 1) (<= ?k ?v2))
    :effect (assign ?v2 (- ?k 1))))
