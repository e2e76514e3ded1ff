package newreno

import "github.com/inalab/inalab/internal/units"

// Constants of congestion control.
const (
	// duplicates is how many repeated acknowledgements mean a loss (RFC 5681 §3.2).
	duplicates = 3
	// initialSegments and initialBytes are those of RFC 6928 §2.
	initialSegments = 10
	initialBytes    = 14600
)

// congestion holds the state of RFC 5681 and RFC 6582.
type congestion struct {
	mss      units.Bytes // of a full segment that this end sends
	cwnd     units.Bytes
	ssthresh units.Bytes
	initial  units.Bytes // window to begin with, also after idleness

	counted    units.Bytes // acknowledged in congestion avoidance since cwnd last grew
	recovering bool        // in fast recovery
	recover    offset      // behind the last byte sent when a loss was found last
	partial    bool        // a partial acknowledgement came in this recovery
	dups       int         // acknowledgements of una again
	before     units.Bytes // in flight when the first of them came
	marked     offset      // behind the last byte sent when an echoed mark reduced the window last, unless a loss was found since
}

// begin sets the windows when the connection is established. If a SYN was lost,
// the window is one segment (RFC 5681 §3.1).
func (cc *congestion) begin(mss units.Bytes, synLost bool) {
	cc.mss, cc.ssthresh = mss, MaxWindow
	cc.initial = min(initialSegments*mss, max(2*mss, initialBytes))
	cc.cwnd = cc.initial
	if synLost {
		cc.cwnd = mss
	}
}

// grow takes n newly acknowledged bytes, outside recovery. The window does not
// grow if less than half of it was in flight: it was not tested (RFC 7661 §4.3).
func (cc *congestion) grow(n, flight units.Bytes) {
	switch {
	case 2*flight < cc.cwnd:
		return
	case cc.cwnd < cc.ssthresh: // slow start, RFC 5681 equation 2
		cc.cwnd += min(n, cc.mss)
	default: // congestion avoidance: a segment for each window acknowledged
		if cc.counted += n; cc.counted >= cc.cwnd {
			cc.counted -= cc.cwnd
			cc.cwnd += cc.mss
		}
	}
	cc.cwnd = min(cc.cwnd, MaxWindow)
}

// duplicate counts a repeated acknowledgement of una and reports whether it
// starts fast recovery. In recovery it stands for a segment that has left the
// network (RFC 6582 §3.2 step 4).
func (cc *congestion) duplicate(una offset, flight units.Bytes) (enter bool) {
	if cc.recovering {
		cc.cwnd = min(cc.cwnd+cc.mss, MaxWindow)
		return false
	}
	if cc.dups++; cc.dups == 1 {
		cc.before = flight
	}
	return cc.dups == duplicates && una > cc.recover
}

// enter begins fast recovery: half of what was in flight, limited transmit not
// counted, and the segments that the duplicates stand for (RFC 6582 §3.2 step 2,
// RFC 5681 §3.2). It reports false where a mark in the same window of data has halved
// it already.
func (cc *congestion) enter(una, sent offset) (halved bool) {
	cc.recovering, cc.partial, cc.recover = true, false, sent
	if halved = una >= cc.marked; halved {
		cc.halve(cc.before)
	}
	cc.cwnd, cc.marked = cc.ssthresh+duplicates*cc.mss, 0
	return halved
}

// halve sets ssthresh (RFC 5681 equation 4).
func (cc *congestion) halve(flight units.Bytes) {
	cc.ssthresh = max(flight/2, 2*cc.mss)
	cc.counted = 0
}

// partialAck deflates the window by what was acknowledged, but for a segment that
// may follow (RFC 6582 §3.2 step 3). It reports whether it was the recovery's
// first.
func (cc *congestion) partialAck(n units.Bytes) (first bool) {
	cc.cwnd = max(cc.cwnd-n, 0)
	if n >= cc.mss {
		cc.cwnd += cc.mss
	}
	cc.cwnd = max(cc.cwnd, cc.mss)
	first, cc.partial = !cc.partial, true
	return first
}

// leave ends recovery with what is still in flight (RFC 6582 §3.2 step 3, the
// first of its two ways, which sends no burst).
func (cc *congestion) leave(flight units.Bytes) {
	cc.recovering = false
	cc.cwnd = min(cc.ssthresh, max(flight, cc.mss)+cc.mss)
}

// collapse answers a timeout (RFC 5681 §3.1 equation 4, RFC 6582 §3.2 step 4). It
// leaves ssthresh alone if the segment had a timeout before, or a mark in its window of
// data was answered.
func (cc *congestion) collapse(flight units.Bytes, again bool, una, sent offset) {
	if !again && una >= cc.marked {
		cc.halve(flight)
	}
	cc.cwnd, cc.counted, cc.marked = cc.mss, 0, 0
	cc.recovering, cc.recover, cc.dups = false, sent, 0
}

// mark answers the echo of a mark like a loss, but the window may fall to one segment
// (RFC 3168 §6.1.2). Limited transmit is not counted as in flight. It reports whether
// the window was that small before.
func (cc *congestion) mark(flight units.Bytes, sent offset) (least bool) {
	least = cc.cwnd <= cc.mss
	flight = min(flight, cc.cwnd)
	cc.halve(flight)
	cc.cwnd, cc.marked = max(flight/2, cc.mss), sent
	return least
}

// idle takes the window back to the initial one before data begin again after a
// pause (RFC 5681 §4.1).
func (cc *congestion) idle() { cc.cwnd = min(cc.cwnd, cc.initial) }

// window returns what may be in flight: beside cwnd a segment for each of the
// first two duplicates (RFC 3042), where only new data would go.
func (cc *congestion) window(onlyNew bool) units.Bytes {
	if onlyNew && !cc.recovering && cc.dups < duplicates {
		return cc.cwnd + units.Bytes(cc.dups)*cc.mss
	}
	return cc.cwnd
}
