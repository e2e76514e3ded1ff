package toy

import (
	"encoding/binary"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/switchd/dataplane"
)

// program is the switch's end. It meets dataplane.Engine.
type program struct {
	dataplane.OwnFrames
	end
	sum  []byte     // packet of the block that is being added up
	seen trace.Mask // workers whose values are in it
}

func (p *program) Claims(f dataplane.Frame) dataplane.Claim {
	u := f.UDP()
	return dataplane.MineIf(u != nil && u.DstPort() == port)
}

func (p *program) PhaseMattered() bool { return false } // there are no timers

func (p *program) Remembers() bool { return false } // blocks follow one another

// Handle adds blocks; a worker is known by the port that it is behind.
func (p *program) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		for f := range in[i].Train.Frames() {
			p.add(slices.Index(p.To, in[i].Port), in[i].Train.Payload(f), eff)
		}
	}
}

func (p *program) add(worker int, block []byte, eff *sansio.Effects) {
	if worker < 0 || len(block) != len(p.sum) || binary.BigEndian.Uint64(block) != p.seq || p.seen.Has(uint8(worker)) {
		p.count.Add("toy-unexpected", 1)
		return
	}
	p.seen.Set(uint8(worker))
	vec.AddBE(p.sum[seqLen:], block[seqLen:])
	if p.seen.Len() == p.Workers {
		binary.BigEndian.PutUint64(p.sum, p.seq)
		eff.Emit(p.To, p.Header, append(eff.Body(len(p.sum))[:0], p.sum...))
		clear(p.sum)
		p.seq, p.seen = p.seq+1, trace.Mask{}
		p.count.Add("toy-sums", 1)
	}
}
