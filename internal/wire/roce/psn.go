package roce

// PSN is a packet sequence number: 24 bits that wrap.
type PSN uint32

// MaxPSN is the largest of them.
const MaxPSN PSN = 1<<24 - 1

// Add returns the number n packets later.
func (p PSN) Add(n int) PSN { return (p + PSN(n)) & MaxPSN }

// Since returns how many packets p is after q, less than 2^23 either way: it is
// negative where p is from before.
func (p PSN) Since(q PSN) int { return int(int32(p<<8-q<<8) >> 8) }
