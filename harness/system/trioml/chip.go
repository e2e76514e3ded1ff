package trioml

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/trio"
)

// ChipBench describes "inalab bench pfe".
func (System) ChipBench() job.ChipBench {
	return job.ChipBench{
		Name:  "pfe",
		Short: "What Microcode on an emulated Trio PFE sustains, and how fast it is simulated",
		Long: `Measures Trio-ML twice. On real packets, worker processes in namespaces hand in int32
tensors as fast as they can, to the Microcode program and to the reference program by
turns; every sum of the last iteration is checked. Under the virtual clock a PFE with
time, in which every XTXN of every thread is an event, takes packets at the rate that
its adders bear. The second needs no privileges: --virtual leaves out the first.`,
		Workers: job.ChipOption{Name: "workers", Default: 4, Usage: "number of workers"},
		Values:  job.ChipOption{Name: "gradients", Default: 1024, Usage: "per packet"},
		Size:    "64M",
		Virtual: "under the virtual clock only",
		Tables: result.ChipTables{
			Live:  "Trio-ML on real packets, by what aggregates",
			Alone: "A PFE with time under the virtual clock",
			Note:  "every XTXN is an event at its own time, and nothing is memoised: a loop of adds alone is not run instruction by instruction; medians of the repeats, on one core",
			Row:   "carries",
			Work: []result.ChipWork{
				{Rate: result.ChipColumn{Key: "xtxns_per_s", Name: "XTXNs"}},
				{Rate: result.ChipColumn{Key: "instructions_per_s", Name: "instructions"}},
			},
		},
	}
}

// Contenders returns both programs.
func (System) Contenders(load job.ChipLoad, limits job.BenchLimits) []job.Bench {
	s := benched(limits)
	s.Grads = load.Values
	reference := s
	reference.PFE.Reference = true
	return []job.Bench{{Name: "reference", System: reference}, {Name: "microcode", System: s}}
}

// Alone returns a PFE with time, of packets with payload and without.
func (System) Alone(load job.ChipLoad) (out []job.AloneRun, err error) {
	if load.Values < 1 || load.Values > wire.MaxGrads {
		return nil, fmt.Errorf("--gradients %d: 1 to %d are possible", load.Values, wire.MaxGrads)
	}
	cfg := program.Job{Out: aloneFlow, To: []sansio.Port{0}}
	for i := range load.Workers {
		cfg.Sources = append(cfg.Sources, uint8(i))
	}
	timing := trio.DefaultTiming()
	for _, carries := range []string{"payload", "lengths"} {
		engine, err := microcode.New(program.Config{Node: "pfe", NoAging: true, Jobs: []program.Job{cfg}}, microcode.Options{Timing: &timing})
		if err != nil {
			return nil, err
		}
		out = append(out, func() (result.ChipRun, error) { return aggregate(engine, load, carries) })
	}
	return out, nil
}

// aloneFlow is that of the packets and of the results.
var aloneFlow = inet.Flow{
	Src: netip.AddrFrom4([4]byte{10, 0, 0, 1}), Dst: netip.AddrFrom4([4]byte{239, 0, 0, 1}), SrcPort: wire.Port, DstPort: wire.Port,
}

// A run aggregates so many blocks, whose packets come at a share of what the adders
// bear: 6e9 additions a second (Trio §6.3).
const (
	aloneBlocks = 4000
	aloneRate   = 0.9 * 6e9
)

// aggregate runs blocks through a PFE.
func aggregate(engine *microcode.Engine, load job.ChipLoad, carries string) (result.ChipRun, error) {
	packet := sansio.Train{Header: inet.UDPHeader(aloneFlow), Body: make([]byte, wire.HeaderLen), Unstored: 4 * load.Values}
	if carries == "payload" {
		packet.Body, packet.Unstored = make([]byte, wire.HeaderLen+packet.Unstored), 0
	}
	inet.SetUDPBody(packet.Header, wire.HeaderLen+4*load.Values)
	gap := units.Duration(float64(load.Values) / aloneRate * float64(units.Second))
	alone := job.EngineAlone{Engine: engine}
	for b := range aloneBlocks {
		for s := range load.Workers {
			wire.Header{Source: uint8(s), SrcCnt: 1, Grads: uint16(load.Values), Block: uint32(b)}.Put(packet.Body)
			alone.Take(sansio.Arrival{Train: packet}, gap)
		}
	}
	err := alone.Await(aloneBlocks)
	xtxns := uint64(0)
	for _, x := range engine.Snapshot().XTXNs {
		xtxns += x.N
	}
	return result.ChipRun{
		Row: carries, Packets: uint64(aloneBlocks * load.Workers), Work: []uint64{xtxns, engine.Instructions()},
	}, err
}
