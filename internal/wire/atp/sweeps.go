package atp

// Sweeps are the packets by which a stream has switches free what is left in them of an earlier use of its
// numbers: a late copy of a packet may have reserved an aggregator that nobody waits for, and
// would be added to when its number comes again. Numbers are two halves. Before one is entered
// again, the last packets of the other are a sweep: one for each aggregator, whose parameter packets
// free what is there. The values of them are nobody's. Where a job had the id before, one
// is at the start.
//
//	packets:  |<-- half 0 -->|<-- half 1 -->|<-- half 0 again -->|
//	           [S]            ..........[SS] ..............[SSSS]
//	           if used                 of 0                of 1
type Sweeps struct {
	Aggregators int  // of a switch; zero: no sweeps
	Used        bool // a job had the id before
}

// Index returns which aggregator a packet of a stream sweeps; false: it has values.
func (s Sweeps) Index(n Numbers, packet uint64) (index uint16, ok bool) {
	half, table := uint64(n.Size/2), uint64(s.Aggregators)
	switch at := packet % half; {
	case packet < table && s.Used:
		return uint16(packet), true
	case packet >= half && at+table >= half:
		return uint16(at + table - half), true
	}
	return 0, false
}

// Before returns how many packets of sweeps a stream has before another packet.
func (s Sweeps) Before(n Numbers, packet uint64) (sweeps uint64) {
	half, table := uint64(n.Size/2), uint64(s.Aggregators)
	if s.Used {
		sweeps = min(packet, table)
	}
	if packet < half {
		return sweeps
	}
	at := packet % half
	return sweeps + (packet/half-1)*table + max(at+table, half) - half
}
