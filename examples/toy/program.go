package toy

import (
	"encoding/binary"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
)

// program is the switch's end. It meets dataplane.Engine.
type program struct {
	config
	header    []byte
	seq       uint64     // of the block that is being added up
	seen      trace.Mask // workers whose block is in
	sum, last []byte     // packets with that block and the one before
	count     sansio.Tally
}

func newProgram(c config) *program {
	n := seqLen + 4*c.Values
	return &program{config: c, header: inet.UDPHeader(c.Flow), sum: make([]byte, n), last: make([]byte, n)}
}

func (p *program) Claims(header []byte, l inet.Layout) bool {
	return l.Proto == inet.ProtoUDP && inet.UDP(header[l.Transport:]).DstPort() == port
}
func (p *program) Ports() []sansio.Port               { return p.config.Ports }
func (p *program) NextDeadline() units.Time           { return units.Never }
func (p *program) Expire(units.Time, *sansio.Effects) {}
func (p *program) Counters() []sansio.Count           { return p.count.List() }

// Handle adds blocks; a worker is known by the port that it is behind.
func (p *program) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		worker := slices.Index(p.Ports(), in[i].Port)
		for f := range in[i].Train.Frames() {
			p.packet(worker, in[i].Train.Payload(f), eff)
		}
	}
}

func (p *program) packet(worker int, payload []byte, eff *sansio.Effects) {
	if worker < 0 || len(payload) != len(p.sum) {
		p.count.Add("toy-malformed", 1)
		return
	}
	switch seq := binary.BigEndian.Uint64(payload); {
	case seq+1 == p.seq: // the worker lacks the sum that went out last
		p.send(p.last, eff)
	case seq != p.seq || p.seen.Has(uint8(worker)):
		p.count.Add("toy-repeated", 1)
	default:
		p.seen.Set(uint8(worker))
		vec.AddBE(p.sum[seqLen:], payload[seqLen:])
		if p.seen.Len() == p.Workers {
			binary.BigEndian.PutUint64(p.sum, p.seq)
			p.send(p.sum, eff)
			p.seq, p.seen = p.seq+1, trace.Mask{}
			p.sum, p.last = p.last, p.sum
			clear(p.sum)
		}
	}
}

func (p *program) send(packet []byte, eff *sansio.Effects) {
	eff.Emit(p.Ports(), p.header, append(eff.Body(len(packet))[:0], packet...))
	p.count.Add("toy-sums", 1)
}
