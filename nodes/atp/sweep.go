package atp

import "github.com/inalab/inalab/internal/units"

// sweeps are the packets by which a stream has all switches on its way free what is left over of
// earlier uses of its numbers. A late copy of a packet may have reserved an aggregator that nobody
// frees; a packet that bore the same number later would meet an old sum there, and give a wrong one.
//
// Numbers are two halves. Before a half is entered again, the last packets of the other are a sweep:
// one for each index of the table, whose values nobody looks at. Its parameter packets pass every
// switch between server and worker and free what is older than the age limit (§3.7).
//
//	packets:  |<-- half 0 -->|<-- half 1 -->|<-- half 0 again -->|
//	           [S]            ..........[SS] ..............[SSSS]
//	           if used                 of 0                of 1
//
// Nothing reserves an aggregator for a number later than a packet's lifetime after it is done, and
// its parameters may be sent again for as long. So a sweep begins two lifetimes and the age limit
// after the half before the one that it is in. What follows waits for all parameters of the sweep:
// only then are leftovers gone.
//
// Servers know packets up to two spans ahead. A late copy from the first packets of a half would be
// one of those, if the stream was that close to entering it again. So it waits there already.
type sweeps struct {
	half  uint64 // packets
	table uint64 // aggregators
	lead  uint64 // packets before a half from which on a stream is close to it: at least a sweep
	used  bool   // the numbers were another job's: there is a sweep at the start
	rest  units.Duration
	over  units.Time // the start of the job, or the end of the last half that is done
}

// index returns the aggregator that a packet is to clear; ok is false where it is no sweep's.
func (w *sweeps) index(packet uint64) (index uint16, ok bool) {
	if w.used && packet < w.table {
		return uint16(packet), true
	}
	if first := w.half - w.table; packet >= w.half && packet%w.half >= first {
		return uint16(packet%w.half - first), true
	}
	return 0, false
}

// opens returns when a packet may be sent where it must wait: the first that is close to a half that
// was used, or the first of all.
func (w *sweeps) opens(packet uint64) (at units.Time, waits bool) {
	enters := packet + w.lead
	if enters%w.half == 0 && enters/w.half >= 2 || packet == 0 && w.used {
		return w.over.Add(w.rest), true
	}
	return 0, false
}

// ends reports whether a packet is the first behind a sweep.
func (w *sweeps) ends(packet uint64) bool {
	return w.table > 0 && (packet%w.half == 0 && packet/w.half >= 2 || w.used && packet == w.table)
}

// advanced notes the end of a half when the expected packet is another.
func (w *sweeps) advanced(before, expected uint64, now units.Time) {
	if before/w.half != expected/w.half {
		w.over = now
	}
}
