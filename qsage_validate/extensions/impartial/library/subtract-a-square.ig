; Subtraction game with the set {1, 4, 9}: only a square number of tokens may be taken.
(define (domain subtract-a-square)
  (:objects ?v)
  (:tercondition (= ?v 0))
  (:constraint (>= ?v 0))
  (:action take
    :parameters (?k)
    :precondition (and (or (= ?k 1) (= ?k 4) (= ?k 9)) (>= ?v ?k))
    :effect (assign ?v (- ?v ?k))))
