package atpps

import (
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns all workers, whatever the job: a server has one.
func (s *Server) Sources(uint8) trace.Mask { return s.everybody }

// Open returns at most limit fragments of which packets came, and that workers may still ask for: those that
// lack workers, by stream and number, then those that are answered, the latest first. The block is the
// sequence number.
func (s *Server) Open(limit int) (out []dataplane.OpenBlock) {
	var done []dataplane.OpenBlock
	for i := range s.streams {
		st := &s.streams[i]
		for p := st.open - min(st.open, st.span); p < st.open+st.span; p++ {
			e := &st.ring[p%uint64(len(st.ring))]
			b := dataplane.OpenBlock{Job: s.cfg.Job, Block: st.numbers.Of(p), Have: e.set, Want: s.everybody}
			switch {
			case e.packet != p || e.state == unused:
			case e.state == answered:
				b.Have = b.Want
				done = append(done, b)
			default:
				out = append(out, b)
			}
		}
	}
	slices.Reverse(done)
	out = append(out, done...)
	return out[:min(limit, len(out))]
}
