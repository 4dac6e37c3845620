; Take-away: take one, two or three of the tokens that are left; whoever takes the last one wins.
(define (domain take-away-3)
  (:objects ?v)
  (:tercondition (= ?v 0))
  (:constraint (>= ?v 0))
  (:action take
    :parameters (?k)
    :precondition (and (>= ?k 1) (<= ?k 3) (>= ?v ?k))
    :effect (assign ?v (- ?v ?k))))
