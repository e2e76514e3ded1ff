package manager

import "fmt"

// Sketch lays out the tree that [Plan] would build for the given k if host ids had no limit. A tree
// of more than [MaxHosts] nodes is for a look at its shape, and no job can use it. Errors wrap [ErrFewServers], or say what of the request is impossible.
func Sketch(r Request) (*Tree, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if r.K == 0 {
		return nil, fmt.Errorf("k = 0 children: a sketch is of one k, of %d to %d", leastArity, MaxHosts-1)
	}
	fit, _ := Candidates(r.Servers, r.Model)
	t, left := r.build(fit, r.K)
	if left > r.K {
		return nil, fmt.Errorf("%w: k = %d leaves %d nodes for the PS, with %d servers: add servers or enlarge k", ErrFewServers, r.K, left, len(fit))
	}
	return t, nil
}
