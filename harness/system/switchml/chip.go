package switchml

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/switchd/tofino"
)

// ChipBench describes "inalab bench pipeline".
func (System) ChipBench() job.ChipBench {
	return job.ChipBench{
		Name:  "pipeline",
		Short: "What SwitchML on an emulated Tofino sustains beside the reference program",
		Long: `Measures SwitchML twice. On real packets, worker processes in namespaces hand in int32
tensors as fast as they can, links unshaped, to the reference program and to the pipeline
by turns; every sum of the last iteration is checked. Then the switch alone is given
packets in this process: how many, and how many passes, it does in a second, with time
and without; a switch of other systems that run on the chip likewise, held against the
same program of SwitchML. The second needs no privileges: --virtual leaves out the first.`,
		Workers: job.ChipOption{Name: "workers", Default: 8, Usage: fmt.Sprintf("number of workers, at most %d for the pipeline", pipeline.MaxPorts)},
		Values:  job.ChipOption{Name: "elements", Default: elementsByDefault, Usage: "values a packet on real packets, 64 or 256"},
		Size:    "16M",
		Virtual: "the switch alone",
		Tables: result.ChipTables{
			Live:     "SwitchML on real packets, by what aggregates",
			Paired:   true,
			Alone:    "A switch alone, without links or hosts",
			Note:     "every pass is executed, table by table; with time each is an event; medians of the repeats, on one core",
			Row:      "engine",
			Elements: result.ChipColumn{Key: "elements", Name: "values a packet"},
			Work: []result.ChipWork{{
				Total: result.ChipColumn{Key: "passes", Name: "passes"}, Rate: result.ChipColumn{Key: "passes_per_s", Name: "passes"},
			}},
		},
	}
}

// Contenders returns the reference program and the pipeline.
func (System) Contenders(load job.ChipLoad, limits job.BenchLimits) []job.Bench {
	program := benched(load.Values, limits)
	chip := program
	chip.Pipe.Pipeline = true
	return []job.Bench{{Name: pipeReference, System: program}, {Name: pipePipeline, System: chip}}
}

// Alone returns the switches for both sizes of packets.
func (System) Alone(load job.ChipLoad) (out []job.AloneRun, err error) {
	switch {
	case load.Workers < 2 || load.Workers > pipeline.MaxPorts:
		return nil, fmt.Errorf("--workers %d: 2 to %d are possible: the ports of one pipe", load.Workers, pipeline.MaxPorts)
	case load.Values != 64 && load.Values != 256:
		return nil, fmt.Errorf("--elements %d: 64 or 256", load.Values)
	}
	timing := tofino.DefaultTiming()
	for _, elements := range []int{64, 256} {
		l := aloneLoad{load.Workers, elements}
		oracle, err := reference.New(l.config())
		if err != nil {
			return nil, err
		}
		out = append(out, func() (result.ChipRun, error) { return l.run(pipeReference, oracle, nil) })
		for _, t := range []*tofino.Timing{nil, &timing} {
			name := pipePipeline
			if t != nil {
				name += " with time"
			}
			e, err := pipeline.New(l.config(), pipeline.Options{Timing: t})
			if err != nil {
				return nil, err
			}
			out = append(out, func() (result.ChipRun, error) { return l.run(name, e, e.Chip()) })
		}
	}
	return out, nil
}

// aloneLoad is the work of a switch alone.
type aloneLoad struct{ workers, elements int }

// Trains are as they come live, a worker's packets of many slots behind each other.
const (
	aloneTrain  = 32  // slots
	alonePhases = 200 // of each slot
	aloneGap    = 2 * units.Microsecond
)

// aloneSwitch is the address of the switch.
var aloneSwitch = netip.AddrFrom4([4]byte{10, 0, 0, 254})

func aloneWorker(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

func (l aloneLoad) config() program.Config {
	j := program.Job{ID: job.DefaultID, Elements: l.elements, Slots: aloneTrain}
	for w := range l.workers {
		j.Workers = append(j.Workers, program.Worker{MAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, Addr: aloneWorker(w), Port: sansio.Port(w)})
	}
	return program.Config{Node: "switch", Router: aloneSwitch, Jobs: []program.Job{j}}
}

// run has a switch complete phases of slots. Workers wait for the results of one before
// they go on. The reference program has no chip, and makes no passes.
func (l aloneLoad) run(name string, engine dataplane.Engine, chip *tofino.Chip) (result.ChipRun, error) {
	alone := job.EngineAlone{Engine: engine}
	trains, packets := l.trains(), 0
	for phase := range alonePhases {
		for _, train := range trains {
			l.begin(train.Train, phase)
			alone.Take(train, aloneGap)
		}
		packets += aloneTrain * l.workers
		if err := alone.Await(packets); err != nil {
			return result.ChipRun{}, err
		}
	}
	passes := uint64(0)
	if chip != nil {
		passes = chip.Snapshot().Ingress
	}
	return result.ChipRun{System: "SwitchML", Row: name, Elements: l.elements, Packets: uint64(packets), Work: []uint64{passes}}, nil
}

// trains are those of all workers.
func (l aloneLoad) trains() (out []sansio.Arrival) {
	size := wire.HeaderLen + 4*l.elements
	for w := range l.workers {
		header := inet.UDPHeader(inet.Flow{Src: aloneWorker(w), Dst: aloneSwitch, SrcPort: wire.Port, DstPort: wire.Port})
		inet.SetUDPBody(header, aloneTrain*size)
		out = append(out, sansio.Arrival{Port: sansio.Port(w), Train: sansio.Train{Header: header, Body: make([]byte, aloneTrain*size), Seg: size}})
	}
	return out
}

// begin writes the headers of a phase into a train.
func (l aloneLoad) begin(t sansio.Train, phase int) {
	size, _ := wire.SizeOf(l.elements)
	for slot := range aloneTrain {
		wire.Header{Type: wire.TypeConsume, Size: size, PacketID: uint32(phase), Set: uint8(phase % 2), Slot: uint16(slot)}.Put(t.Body[slot*t.Seg:])
	}
}
