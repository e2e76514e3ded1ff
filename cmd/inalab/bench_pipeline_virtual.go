package main

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/reports/stat"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/switchd/tofino"
)

// maxPipelineWorkers leaves a port of pipe 0 in loopback mode: see
// pipeline.Options.Ports.
const maxPipelineWorkers = pipeline.MaxPorts - 1

// Work of a switch alone: trains as they come live, a worker's packets of many slots
// behind each other.
const (
	pipelineTrain  = 32  // slots
	pipelinePhases = 200 // of each slot
	pipelineGap    = 2 * units.Microsecond
)

// aloneSwitch is a switch that is measured, and a name for it.
type aloneSwitch struct {
	name   string
	engine dataplane.Engine
	passes func() uint64
}

// simulate measures how fast a switch is simulated.
func (f pipelineFlags) simulate() (out []bench.PipelineVirtual, err error) {
	for _, elements := range []int{64, 256} {
		rows := make([]bench.PipelineVirtual, 3)
		walls := make([][]float64, len(rows))
		for range f.repeat {
			switches, err := f.switches(elements)
			if err != nil {
				return nil, err
			}
			for i, sw := range switches {
				began := time.Now()
				if rows[i], err = f.aggregate(sw, elements); err != nil {
					return nil, err
				}
				walls[i] = append(walls[i], time.Since(began).Seconds())
			}
		}
		for i, row := range rows {
			row.WallS, _ = stat.Median(walls[i])
			row.Repeats = len(walls[i])
			row.PacketRate, row.PassRate = float64(row.Packets)/row.WallS, float64(row.Passes)/row.WallS
			out = append(out, row)
		}
	}
	return out, nil
}

// switches returns the switches that take turns.
func (f pipelineFlags) switches(elements int) ([]aloneSwitch, error) {
	j := switchml.Job{ID: 1, Elements: elements, Slots: pipelineTrain}
	for w := range f.workers {
		j.Workers = append(j.Workers, switchml.Worker{MAC: inet.MAC{2, 0, 0, 0, byte(w >> 8), byte(w)}, Addr: pipelineAddr(w), Port: sansio.Port(w)})
	}
	cfg := switchml.Config{Node: "switch", Router: netip.AddrFrom4([4]byte{10, 0, 0, 254}), Jobs: []switchml.Job{j}}
	oracle, err := reference.New(cfg)
	if err != nil {
		return nil, err
	}
	out := []aloneSwitch{{"reference", oracle, func() uint64 { return 0 }}}
	timing := tofino.DefaultTiming()
	for _, p := range []struct {
		name   string
		timing *tofino.Timing
	}{{"pipeline", nil}, {"pipeline with time", &timing}} {
		e, err := pipeline.New(cfg, pipeline.Options{Ports: maxPipelineWorkers, Timing: p.timing})
		if err != nil {
			return nil, err
		}
		out = append(out, aloneSwitch{p.name, e, func() uint64 { return passesOf(e.Chip()) }})
	}
	return out, nil
}

func pipelineAddr(worker int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(worker + 1)}) }

// passesOf counts the passes of all packets through an ingress.
func passesOf(c *tofino.Chip) (all uint64) {
	for n, packets := range c.Snapshot().Passes {
		all += uint64(n) * packets
	}
	return all
}

// aggregate has a switch complete phases of slots.
func (f pipelineFlags) aggregate(sw aloneSwitch, elements int) (row bench.PipelineVirtual, err error) {
	var eff sansio.Effects
	now, results := units.Time(0), 0
	trains := f.trains(elements)
	for phase := range pipelinePhases {
		for _, train := range trains {
			begin(train.Train, elements, phase)
			eff.Reset()
			sw.engine.Handle(now, []sansio.Arrival{train}, &eff)
			results += copies(&eff)
			now = now.Add(pipelineGap)
			results += settle(sw.engine, now, &eff)
		}
		for sw.engine.NextDeadline() != units.Never { // workers wait for the results before they go on
			now = max(now, sw.engine.NextDeadline())
			results += settle(sw.engine, now, &eff)
		}
	}
	if want := pipelinePhases * pipelineTrain * f.workers; results != want {
		return row, fmt.Errorf("%s sent %d results, not %d", sw.name, results, want)
	}
	return bench.PipelineVirtual{
		Engine: sw.name, Elements: elements, Packets: uint64(pipelinePhases * pipelineTrain * f.workers), Passes: sw.passes(),
	}, nil
}

// settle lets a switch do what is due, and counts the results.
func settle(e dataplane.Engine, now units.Time, eff *sansio.Effects) (results int) {
	for e.NextDeadline() <= now {
		eff.Reset()
		e.Expire(now, eff)
		results += copies(eff)
	}
	return results
}

// copies counts what was sent, by each port.
func copies(eff *sansio.Effects) (n int) {
	for i := range eff.Sends {
		n += eff.Sends[i].Train.Frames() * len(eff.Sends[i].To)
	}
	return n
}

// trains are those of all workers.
func (f pipelineFlags) trains(elements int) (out []sansio.Arrival) {
	size := wire.HeaderLen + 4*elements
	for w := range f.workers {
		header := inet.UDPHeader(inet.Flow{Src: pipelineAddr(w), Dst: netip.AddrFrom4([4]byte{10, 0, 0, 254}), SrcPort: wire.Port, DstPort: wire.Port})
		inet.SetUDPBody(header, pipelineTrain*size)
		out = append(out, sansio.Arrival{Port: sansio.Port(w), Train: sansio.Train{Header: header, Body: make([]byte, pipelineTrain*size), Seg: size}})
	}
	return out
}

// begin writes the headers of a phase into a train.
func begin(t sansio.Train, elements, phase int) {
	size, _ := wire.SizeOf(elements)
	for slot := range pipelineTrain {
		wire.Header{Type: wire.TypeConsume, Size: size, PacketID: uint32(phase), Set: uint8(phase % 2), Slot: uint16(slot)}.Put(t.Body[slot*t.Seg:])
	}
}
