; Wythoff's game in odd steps: an odd number of tokens from one heap, or the same odd number from
; both.
(define (domain odd-wythoff)
  (:objects ?v1 ?v2)
  (:tercondition (and (= ?v1 0) (= ?v2 0)))
  (:constraint (and (>= ?v1 0) (>= ?v2 0)))
  (:action left
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v1 ?k) (%= ?k 2 1))
    :effect (assign ?v1 (- ?v1 ?k)))
  (:action right
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v2 ?k) (%= ?k 2 1))
    :effect (assign ?v2 (- ?v2 ?k)))
  (:action both
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v1 ?k) (>= ?v2 ?k) (%= ?k 2 1))
    :effect (and (assign ?v1 (- ?v1 ?k)) (assign ?v2 (- ?v2 ?k)))))
