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

// Program is the switch's end. It meets dataplane.Engine.
type Program struct {
	dataplane.OwnFrames
	dataplane.Memoryless
	End
	sum  []byte     // packet of the block that is being added up
	Seen trace.Mask // workers whose values are in it
}

func NewProgram(e End) *Program { return &Program{End: e, sum: make([]byte, seqLen+4*e.Values)} }

func (p *Program) Claims(f dataplane.Frame) dataplane.Claim { return dataplane.MineIf(f.IsTo(p.Port)) }

// Handle adds blocks; a worker is known by the port that it is behind.
func (p *Program) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		for f := range in[i].Train.Frames() {
			p.add(slices.Index(p.To, in[i].Port), in[i].Train.Payload(f), eff)
		}
	}
}

func (p *Program) add(worker int, block []byte, eff *sansio.Effects) {
	if worker < 0 || len(block) != len(p.sum) || binary.BigEndian.Uint64(block) != p.seq || p.Seen.Has(uint8(worker)) {
		p.count.Add("toy-unexpected", 1)
		return
	}
	p.Seen.Set(uint8(worker))
	vec.AddBE(p.sum[seqLen:], block[seqLen:])
	if p.Seen.Len() == p.Workers {
		binary.BigEndian.PutUint64(p.sum, p.seq)
		eff.Emit(p.To, p.Header, append(eff.Body(len(p.sum))[:0], p.sum...))
		clear(p.sum)
		p.seq, p.Seen = p.seq+1, trace.Mask{}
		p.count.Add("toy-sums", 1)
	}
}
