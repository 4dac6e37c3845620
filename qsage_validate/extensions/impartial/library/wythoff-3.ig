; Wythoff's game with at most three tokens in the second heap: take from one heap, or the same
; number from both.
(define (domain wythoff-3)
  (:objects ?v1 ?v2)
  (:tercondition (and (= ?v1 0) (= ?v2 0)))
  (:constraint (and (>= ?v1 0) (>= ?v2 0) (<= ?v2 3)))
  (:action left
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v1 ?k))
    :effect (assign ?v1 (- ?v1 ?k)))
  (:action right
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v2 ?k))
    :effect (assign ?v2 (- ?v2 ?k)))
  (:action both
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v1 ?k) (>= ?v2 ?k))
    :effect (and (assign ?v1 (- ?v1 ?k)) (assign ?v2 (- ?v2 ?k)))))
