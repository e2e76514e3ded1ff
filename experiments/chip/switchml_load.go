package chip

import (
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// lineLoad is an emulated chip with time, whose packets are made here: all values are 1.
type lineLoad struct {
	chip     *pipeline.Engine
	elements int
	workers  int
	now      units.Time
	results  int // packets that have left
	wrong    int // of them whose first value is not the number of workers
	last     units.Time

	eff   sansio.Effects
	heads [][]byte
	body  []byte
}

// loadSlots is the pool of a load, as in the paper at 100 Gbit/s.
const loadSlots = 512

// newLoad returns a chip with so many ports for as many workers at most.
func newLoad(elements, workers, ports int, timing *tofino.Timing) (*lineLoad, error) {
	j := sharedJob(1, 0, workers, loadSlots)
	j.Elements = elements
	e, err := pipeline.New(switchml.Config{Node: "tor", Router: rig.Router, Jobs: []switchml.Job{j}}, pipeline.Options{Timing: timing, Ports: ports})
	if err != nil {
		return nil, err
	}
	l := &lineLoad{chip: e, elements: elements, workers: workers, body: make([]byte, wire.HeaderLen+4*elements)}
	for i := wire.HeaderLen + 3; i < len(l.body); i += 4 {
		l.body[i] = 1
	}
	for w := range workers {
		h := inet.UDPHeader(rig.SwitchMLUp(w))
		inet.SetUDPBody(h, len(l.body))
		l.heads = append(l.heads, h)
	}
	return l, nil
}

// gap is the time of a packet on a link.
func (l *lineLoad) gap(r units.Rate) units.Duration {
	return r.TimeToSend(units.Bytes(len(l.heads[0])+len(l.body)) + units.EthernetFraming)
}

// send hands over a worker's packet for a slot, in a phase from 0.
func (l *lineLoad) send(w, slot, phase int) {
	size, _ := wire.SizeOf(l.elements)
	wire.Header{Type: wire.TypeConsume, Size: size, PacketID: uint32(phase), Set: uint8(phase & 1), Slot: uint16(slot)}.Put(l.body)
	l.chip.Handle(l.now, []sansio.Arrival{{Port: sansio.Port(w), Train: sansio.Train{Header: l.heads[w], Body: l.body}}}, &l.eff)
	l.take()
}

// take counts what has left.
func (l *lineLoad) take() {
	for i := range l.eff.Sends {
		s := &l.eff.Sends[i]
		n := len(s.To) * s.Train.Frames()
		l.results, l.last = l.results+n, l.now
		for f := range s.Train.Frames() {
			if v := s.Train.Payload(f)[wire.HeaderLen:]; int(v[3]) != l.workers || v[0]|v[1]|v[2] != 0 {
				l.wrong += len(s.To)
			}
		}
	}
	l.eff.Reset()
}

// drain lets the chip run until nothing is inside, and returns when the last packet
// left.
func (l *lineLoad) drain() units.Time {
	for at := l.chip.NextDeadline(); at != units.Never; at = l.chip.NextDeadline() {
		l.now = at
		l.chip.Expire(at, &l.eff)
		l.take()
	}
	return l.last
}

// passes returns the passes through ingresses so far.
func (l *lineLoad) passes() uint64 { return l.chip.Chip().Snapshot().Ingress }

// inside returns the packets inside the chip.
func (l *lineLoad) inside() int { return l.chip.Chip().Snapshot().Inside }
