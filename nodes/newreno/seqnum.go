package newreno

// seqnum is a sequence number on the wire. It wraps around (RFC 9293 §3.4), which
// nothing but this file knows.
type seqnum uint32

// offset is a place in the stream of one direction, which never wraps: 0 is the
// SYN, 1 the first byte, and the FIN takes one behind the last byte.
type offset int64

// offset returns the place that a sequence number means, which is the one within
// 2 GiB of near, given the initial sequence number of the stream. It is negative
// for a place before the SYN.
func (s seqnum) offset(initial seqnum, near offset) offset {
	return near + offset(int32(s-near.seqnum(initial)))
}

// seqnum returns the number of a place on the wire.
func (o offset) seqnum(initial seqnum) seqnum { return initial + seqnum(uint32(o)) }

// stampBefore reports whether timestamp a is older than b (RFC 7323 §5.2), which
// wrap around as well.
func stampBefore(a, b uint32) bool { return int32(a-b) < 0 }
