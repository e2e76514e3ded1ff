package roce

// PSN is a packet sequence number: 24 bits that wrap.
type PSN uint32

// MaxPSN is the largest of them.
const MaxPSN PSN = 1<<24 - 1

// Add returns the number n packets later.
func (p PSN) Add(n int) PSN { return (p + PSN(n)) & MaxPSN }

// Near returns the count that p stands for, of those that begin with PSN 0 and do not
// wrap: the one less than 2^23 from another. It is negative before the first.
func (p PSN) Near(count uint64) int64 { return int64(count) + int64(p.Since(PSN(count)&MaxPSN)) }

// Since returns how many packets p is after q, less than 2^23 either way: it is
// negative where p is from before.
func (p PSN) Since(q PSN) int { return int(int32(p<<8-q<<8) >> 8) }
