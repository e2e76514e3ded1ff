package atp

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
	"github.com/inalab/inalab/switchd/program/atp/reference"
	"github.com/inalab/inalab/switchd/tofino"
)

// Beside names the benchmark of the chip that ATP also runs on.
func (System) Beside() string { return "pipeline" }

// Alone returns switches that aggregate all fragments for a server.
func (System) Alone(load job.ChipLoad) (out []job.AloneRun, err error) {
	if load.Workers < 2 || load.Workers > pipeline.MaxPorts {
		return nil, fmt.Errorf("%d workers: 2 to %d are possible for ATP: the ports of one pipe", load.Workers, pipeline.MaxPorts)
	}
	l := aloneLoad(load.Workers)
	oracle, err := reference.New(l.config())
	if err != nil {
		return nil, err
	}
	out = append(out, func() (result.ChipRun, error) { return l.run("reference", oracle, nil) })
	timing := pipeline.Timing()
	for _, t := range []*tofino.Timing{nil, &timing} {
		name := "pipeline"
		if t != nil {
			name += " with time"
		}
		e, err := pipeline.New(l.config(), pipeline.Options{Timing: t})
		if err != nil {
			return nil, err
		}
		out = append(out, func() (result.ChipRun, error) { return l.run(name, e, e.Chip()) })
	}
	return out, nil
}

// aloneLoad is the work of a switch alone: of so many workers.
type aloneLoad int

// Trains are as they come live, a worker's packets of many fragments behind each other.
const (
	aloneTrain  = 32 // fragments, and aggregators
	aloneRounds = 200
	aloneGap    = 10 * units.Microsecond
)

// port returns that of a worker, or of the server: behind them, if there is one.
func (l aloneLoad) port(i int) sansio.Port { return sansio.Port(min(i, pipeline.MaxPorts-1)) }

func aloneHost(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}) }

// server is the address of the server.
func (l aloneLoad) server() netip.Addr { return aloneHost(int(l)) }

func (l aloneLoad) config() program.Config {
	s := program.Server{Addr: l.server(), Ports: []sansio.Port{l.port(int(l))}}
	for w := range int(l) {
		s.Levels[0].Sources = append(s.Levels[0].Sources, program.Source{Bit: uint8(w), Ports: []sansio.Port{l.port(w)}, Workers: []uint8{uint8(w)}})
	}
	return program.Config{Node: "switch", Aggregators: aloneTrain, Jobs: []program.Job{{ID: job.DefaultID, Servers: []program.Server{s}}}}
}

// run has a switch aggregate rounds of fragments. The server answers a sum when all of a round are there; its
// parameter packets are packets of the program, too. The reference program has no chip, and makes no
// passes.
func (l aloneLoad) run(name string, engine dataplane.Engine, chip *tofino.Chip) (result.ChipRun, error) {
	alone := job.EngineAlone{Engine: engine}
	trains, workers, sent := l.trains(), int(l), 0
	for round := range aloneRounds {
		for i, train := range trains {
			l.begin(train.Train, i, round)
			alone.Take(train, aloneGap)
			if i >= workers-1 { // sums, or parameters
				sent += aloneTrain
				if err := alone.Await(sent); err != nil {
					return result.ChipRun{}, err
				}
			}
		}
	}
	passes := uint64(0)
	if chip != nil {
		passes = chip.Snapshot().Ingress
	}
	return result.ChipRun{System: "ATP", Row: name, Elements: wire.Values, Packets: uint64(aloneRounds * aloneTrain * (workers + 1)), Work: []uint64{passes}}, nil
}

// trains are those of all workers, and of the server.
func (l aloneLoad) trains() (out []sansio.Arrival) {
	dst, size := l.server(), aloneTrain*wire.PayloadLen
	for i := range int(l) + 1 {
		if i == int(l) {
			dst = netip.AddrFrom4([4]byte{239, 255, 0, job.DefaultID})
		}
		header := inet.UDPHeader(inet.Flow{Src: aloneHost(i), Dst: dst, SrcPort: wire.Port, DstPort: wire.Port})
		inet.SetUDPBody(header, size)
		out = append(out, sansio.Arrival{Port: dataplane.Inbound(l.port(i)), Train: sansio.Train{Header: header, Body: make([]byte, size), Seg: wire.PayloadLen}})
	}
	return out
}

// begin writes the headers of a round into the train of a worker, or of the server.
func (l aloneLoad) begin(t sansio.Train, i, round int) {
	h := wire.Header{Job: job.DefaultID, FanIns: [2]uint8{uint8(l), 1}, Bitmaps: [2]uint32{1 << i, 1}}
	if i == int(l) {
		h.Flags, h.Bitmaps = wire.IsAck, [2]uint32{}
	}
	for k := range aloneTrain {
		h.Sequence, h.Index = uint32(1+round*aloneTrain+k), uint16(k)
		h.Put(t.Body[k*t.Seg:])
	}
}
