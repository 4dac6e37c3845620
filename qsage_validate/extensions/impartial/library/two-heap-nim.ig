; Nim with two heaps: take any number of tokens from one heap.
(define (domain two-heap-nim)
  (:objects ?v1 ?v2)
  (:tercondition (and (= ?v1 0) (= ?v2 0)))
  (:constraint (and (>= ?v1 0) (>= ?v2 0)))
  (:action left
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v1 ?k))
    :effect (assign ?v1 (- ?v1 ?k)))
  (:action right
    :parameters (?k)
    :precondition (and (>= ?k 1) (>= ?v2 ?k))
    :effect (assign ?v2 (- ?v2 ?k))))
