package switchml

import "github.com/inalab/inalab/internal/trace"

// Waiting returns at most limit slots whose packet has no result. The packet id
// is the generation.
func (c *Core) Waiting(limit int) (out []trace.Wait) {
	for i := range c.threads {
		t := &c.threads[i]
		for k := range t.slots {
			if s := &t.slots[k]; s.busy && len(out) < limit {
				out = append(out, trace.Wait{Gen: s.phase, Block: uint32(t.base + k), Sent: true})
			}
		}
	}
	return out
}
