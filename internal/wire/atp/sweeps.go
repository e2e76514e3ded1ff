package atp

// Sweeps are the fragments by which a job frees what is left in switches of an earlier use of
// its numbers: a late copy of a packet may have reserved an aggregator that nobody waits for, and would be
// added to when its number comes again. Each half of a stream's numbers begins with a sweep, one fragment for
// each aggregator, whose parameter packets free what is there. The values of them are
// nobody's. The first time none is needed, except where a job had the id before.
type Sweeps struct {
	Aggregators int  // of a switch; zero: no sweeps
	Used        bool // a job had the id before
}

// Index returns which aggregator a packet of a stream sweeps; false: it has values.
func (s Sweeps) Index(n Numbers, packet uint64) (index uint16, ok bool) {
	at := packet % uint64(n.Size/2)
	if at >= uint64(s.Aggregators) || packet < uint64(n.Size) && !s.Used {
		return 0, false
	}
	return uint16(at), true
}
