package microcode

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Cost is how many instructions threads execute for a packet of so many gradients.
// Where other threads are in the way, they may execute some more.
type Cost struct {
	Grads int
	First uint64 // the first packet of a block, which creates its record
	Next  uint64 // one that finds the record and does not complete the block
	Last  uint64 // the one that completes it: adds, sends the result, removes the record
}

// TailLoop returns the instructions per gradient of the loop over the packet's
// tail: what a packet of 16 gradients more takes, divided by these 16.
func TailLoop(p *isa.Program) (perGradient float64, err error) {
	const chunk = 16
	a, err := Measure(p, wire.MaxGrads/2)
	if err != nil {
		return 0, err
	}
	b, err := Measure(p, wire.MaxGrads/2+chunk)
	return float64(b.Next-a.Next) / chunk, err
}

// Measure runs a block of three packets of so many gradients, 1 to 4095, on an
// idle PFE. The program is one of [CompileFor] or [CompileAdvanced].
func Measure(p *isa.Program, grads int) (Cost, error) {
	if grads < 1 || grads > wire.MaxGrads {
		return Cost{}, fmt.Errorf("measuring packets of %d gradients: 1 to %d are possible", grads, wire.MaxGrads)
	}
	host, group := netip.AddrFrom4([4]byte{10, 0, 0, 1}), netip.AddrFrom4([4]byte{239, 0, 0, 1})
	flow := inet.Flow{Src: host, Dst: group, SrcPort: wire.Port, DstPort: wire.Port}
	cfg := trioml.Config{
		Node: "measured", NoAging: true,
		Jobs: []trioml.Job{{Sources: []uint8{0, 1, 2}, BlockMax: 1, Out: flow, To: []sansio.Port{0}}},
	}
	var m meter
	e, err := New(cfg, Options{Program: p, Observer: &m, Memory: mem.Config{Records: 2, AddBytes: p.Adds()}})
	if err != nil {
		return Cost{}, err
	}
	var eff sansio.Effects
	for s := range uint8(3) {
		body := make([]byte, wire.HeaderLen+4*grads)
		wire.Header{Source: s, SrcCnt: 1, Grads: uint16(grads)}.Put(body)
		header := inet.UDPHeader(flow)
		inet.SetUDPBody(header, len(body))
		e.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: body}}}, &eff)
	}
	if len(m.executed) != 3 || len(eff.Sends) != 1 {
		return Cost{}, fmt.Errorf("measuring packets of %d gradients: three packets made %d threads and %d results: %v", grads, len(m.executed), len(eff.Sends), e.Counters())
	}
	return Cost{Grads: grads, First: m.executed[0], Next: m.executed[1], Last: m.executed[2]}, nil
}

// meter notes how many instructions each thread has executed.
type meter struct {
	trio.NopObserver
	executed []uint64
}

func (m *meter) Ended(_ units.Time, t *vm.Thread, _ trio.Fate) {
	m.executed = append(m.executed, t.Executed)
}
