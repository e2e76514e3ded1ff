package check

// Leave says that a worker records nothing from now on: it was killed. Generations that
// waited for it alone are checked and forgotten.
func (s *Stream) Leave(worker int) {
	from, n := s.next[worker], s.checker.job.Generations
	if from >= n || s.checker.job.Away(worker, from) {
		return
	}
	s.checker.job.Gaps = append(s.checker.job.Gaps, Gap{worker, from, n})
	for gen := from; gen < n; gen++ {
		if g := s.open[gen]; g != nil {
			s.recorded(gen, g)
		}
	}
}

// Return says that another worker in its place records from generation gen on. It is
// said before that worker begins to compute that generation.
func (s *Stream) Return(worker, gen int) {
	s.next[worker] = gen
	for i := range s.checker.job.Gaps {
		if g := &s.checker.job.Gaps[i]; g.Worker == worker && gen < g.To {
			g.To = gen
		}
	}
	for at, g := range s.open {
		if at >= gen && g.delivered[worker] == nil {
			g.missing++
		}
	}
}

// End says that the job was ended early: generations from the first on that some worker
// has not finished are not checked.
func (s *Stream) End() { s.ended = true }
