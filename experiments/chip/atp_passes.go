package chip

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// atpPasses is ATP's appendix C: of the packets of a block the last alone is recirculated, the
// others are resubmitted.
func atpPasses() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.passes", Title: "passes of a block of ATP packets through the emulated pipeline, and which way they go back",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"atp.app.c.one-port"},
		Run:    runATPPasses,
	}
}

// atpServer is the address of the parameter server.
var atpServer = netip.AddrFrom4([4]byte{10, 0, 1, 1})

// atpBlock is what one block took of a chip.
type atpBlock struct {
	workers, level                    int
	passes, resubmitted, recirculated uint64 // of the gradient packets
	parameter                         uint64 // passes of the parameter packet
}

// newATPChip returns a chip that aggregates n packets at a level: one by each port.
func newATPChip(n, level int) (*pipeline.Engine, error) {
	s := atp.Server{Addr: atpServer, Ports: rig.Ports(n)}
	for w := range n {
		s.Levels[level].Sources = append(s.Levels[level].Sources, atp.Source{
			Bit: uint8(w), Ports: []sansio.Port{sansio.Port(w)}, Name: fmt.Sprintf("worker %d", w), Workers: []uint8{uint8(w)},
		})
	}
	return pipeline.New(atp.Config{Node: "tor", Aggregators: 1, Jobs: []atp.Job{{ID: 1, Servers: []atp.Server{s}}}}, pipeline.Options{})
}

// atpArrival is a packet as it comes in transit, all of whose values are v.
func atpArrival(h *wire.Header, port int, from, to netip.Addr, v uint8) sansio.Arrival {
	flow := rig.Up(0, uint16(wire.Port), wire.Port)
	flow.Src, flow.Dst = from, to
	body := make([]byte, wire.PayloadLen)
	h.Put(body)
	for i := wire.HeaderLen + 3; i < len(body); i += 4 {
		body[i] = v
	}
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Port: dataplane.Inbound(sansio.Port(port)), Train: sansio.Train{Header: header, Body: body, Seg: len(body)}}
}

// runATPBlock sends the packets of one block and its parameter packet.
func runATPBlock(n, level int) (b atpBlock, err error) {
	e, err := newATPChip(n, level)
	if err != nil {
		return b, err
	}
	b = atpBlock{workers: n, level: level}
	var eff sansio.Effects
	for w := range n {
		h := wire.Header{Bitmaps: [2]uint32{1, 1}, FanIns: [2]uint8{1, 1}, Job: 1, Sequence: 1}
		h.Bitmaps[level], h.FanIns[level] = 1<<w, uint8(n)
		if level == 1 {
			h.Flags = wire.EdgeSwitch
		}
		e.Handle(0, []sansio.Arrival{atpArrival(&h, w, rig.Worker(w), atpServer, 1)}, &eff)
		if err := atpLeft(&eff, w == n-1, byte(n)); err != nil {
			return b, fmt.Errorf("after packet %d of %d: %w", w+1, n, err)
		}
	}
	b.passes, b.resubmitted, b.recirculated = counted(e, tofino.CountPasses), counted(e, tofino.CountAgain), counted(e, pipeline.CountRecirculate)
	ack := wire.Header{FanIns: [2]uint8{1, 1}, Job: 1, Sequence: 1, Flags: wire.IsAck}
	e.Handle(0, []sansio.Arrival{atpArrival(&ack, 0, atpServer, rig.Worker(0), 0)}, &eff)
	b.parameter = counted(e, tofino.CountPasses) - b.passes
	if e.Remembers() {
		return b, fmt.Errorf("the parameter packet has freed no aggregator")
	}
	return b, nil
}

// atpLeft checks that a sum has left if it should, and nothing otherwise.
func atpLeft(eff *sansio.Effects, sum bool, want byte) error {
	defer eff.Reset()
	switch {
	case sum && len(eff.Sends) != 1, !sum && len(eff.Sends) != 0:
		return fmt.Errorf("%d packets have left", len(eff.Sends))
	case !sum:
		return nil
	}
	values := eff.Sends[0].Train.Payload(0)[wire.HeaderLen:]
	for i := 3; i < len(values); i += 4 {
		if values[i] != want {
			return fmt.Errorf("value %d of the sum is %d, want %d", i/4, values[i], want)
		}
	}
	return nil
}

func counted(e *pipeline.Engine, name string) uint64 {
	for _, c := range e.Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

func runATPPasses(context.Context, *experiment.Env) (f experiment.Findings, err error) {
	t := claims.Table{
		ID: "atp.passes", Title: "Passes of one block through the ingress of the emulated chip",
		Columns: []claims.Column{
			{Name: "packets"}, {Name: "edge switch"}, {Name: "passes"}, {Name: "resubmitted"}, {Name: "recirculated"}, {Name: "of a parameter packet"}, {Name: "values a pass"},
		},
		Notes: []string{fmt.Sprintf("A packet has %d values, and a pass adds half of them (appendix C). A pass of SwitchML adds 64.", wire.Values)},
	}
	fewest, most := uint64(1<<63), uint64(0)
	for level, name := range []string{"first", "second"} {
		for n := 2; n <= pipeline.MaxPorts; n++ {
			b, err := runATPBlock(n, level)
			if err != nil {
				return f, fmt.Errorf("a block of %d packets at the %s edge switch: %w", n, name, err)
			}
			fewest, most = min(fewest, b.recirculated), max(most, b.recirculated)
			if b.resubmitted != uint64(n)-1 || b.passes != 2*uint64(n) {
				return f, fmt.Errorf("a block of %d packets at the %s edge switch took %d passes, %d packets were resubmitted", n, name, b.passes, b.resubmitted)
			}
			if n&(n-1) == 0 {
				t.Add(render.Int(n), render.Text(name), render.Int(int(b.passes)), render.Int(int(b.resubmitted)), render.Int(int(b.recirculated)),
					render.Int(int(b.parameter)), render.Number(float64(n*wire.Values)/float64(b.passes), 0))
			}
		}
	}
	f.Tables = []claims.Table{t}
	f.Set("atp.app.c.one-port", claims.NumberParts(map[string]float64{"fewest": float64(fewest), "most": float64(most)}).
		On("emulated pipeline: blocks of 2 to 16 packets at the first and at the second edge switch; ways back are counted").
		Noting("the other packets of a block are resubmitted, which takes no port"))
	return f, nil
}
