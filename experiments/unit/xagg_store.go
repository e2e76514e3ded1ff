package unit

import (
	"fmt"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/xagg"
)

// xaggStore is what XAgg's aggregator and its groups do with packets (XAgg §IV-B, §IV-D).
func xaggStore() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.store", Title: "XAgg's Algorithm 1 with repeated packets, and the messages that groups take",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.s4b.dedup", "xagg.s4d.ack-overhead"},
		Quick:  "a tenth of the random trials",
		Run:    experiment.Steps(xaggDuplicates, xaggMessages),
	}
}

const (
	duplicateTrials = 2000
	storeFragments  = 8
	storeIteration  = 65535 // the next one wraps
	storeHost       = 1 << (wire.MaxHosts - 1)
)

// xaggDuplicates sends each child's packets in a random order, with copies of any that were sent before,
// some with other values, some marked as sent again, some of finished elements.
func xaggDuplicates(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("xagg.store/duplicates")
	wrong, kept, repeated, elements := 0, 0, 0, 0
	trials := e.Trials(duplicateTrials)
	for range trials {
		s, err := newStored(stream)
		if err != nil {
			return err
		}
		s.run(stream)
		wrong, kept, repeated, elements = wrong+s.wrong(), kept+s.kept(), repeated+s.repeated, elements+storeFragments
	}
	if repeated == 0 {
		return fmt.Errorf("no packet was repeated in %d trials", trials)
	}
	m := claims.NumberParts(map[string]float64{"wrong": float64(wrong), "duplicates_kept": float64(kept)}).On("package switchd/program/xagg")
	f.Set("xagg.s4b.dedup", m.Noting("of %d elements of 1 to %d children, %d repeated packets among theirs", elements, wire.MaxHosts-1, repeated))
	return nil
}

// stored is an aggregator, and what it should have.
type stored struct {
	cfg      program.Config
	agg      *program.Aggregator
	values   [][]int32 // by child and fragment: the value that all of a packet are
	repeated int
	sent     map[uint32]int32 // finished sums that left
	twice    int              // that left again, without being asked for
}

func newStored(stream *rng.Stream) (*stored, error) {
	s := &stored{sent: map[uint32]int32{}, cfg: program.Config{
		Values: wire.MinValues, Fragments: storeFragments, Job: 1, Host: storeHost,
		MAC: inet.MAC{2, 1}, Addr: netip.AddrFrom4([4]byte{10, 0, 0, 1}),
		Up:     program.Next{MAC: inet.MAC{2, 2}, Addr: netip.AddrFrom4([4]byte{10, 0, 0, 2})},
		Window: program.Window{Current: storeIteration},
	}}
	hosts := stream.Perm(wire.MaxHosts - 1)[:1+stream.IntN(wire.MaxHosts-1)]
	for _, h := range hosts {
		s.cfg.Children = append(s.cfg.Children, program.Child{ID: 1 << h})
		row := make([]int32, storeFragments)
		for i := range row {
			row[i] = int32(stream.Uint64()) >> 6 // sums of 31 fit
		}
		s.values = append(s.values, row)
	}
	var err error
	s.agg, err = program.New(s.cfg)
	return s, err
}

// run sends everything once, and behind each packet, at random, packets again.
func (s *stored) run(stream *rng.Stream) {
	n := len(s.values)
	order := stream.Perm(n * storeFragments)
	for i, at := range order {
		s.send(at%n, at/n, s.values[at%n][at/n], 0)
		for stream.IntN(2) == 0 {
			again := order[stream.IntN(i+1)]
			v, flags := s.values[again%n][again/n], wire.Flags(0)
			if stream.IntN(2) == 0 {
				v = ^v
			}
			if stream.IntN(2) == 0 {
				flags = wire.Retransmit
			}
			s.repeated++
			s.send(again%n, again/n, v, flags)
		}
	}
}

// send gives the aggregator a packet of a child, and notes a sum that leaves.
func (s *stored) send(child, fragment int, v int32, flags wire.Flags) {
	h := wire.Header{Host: s.cfg.Children[child].ID, Gradient: uint32(fragment + 1), Job: s.cfg.Job, Iteration: storeIteration, Flags: flags}
	frame := wire.Frame(wire.Path{Src: s.cfg.Up.Addr, Dst: s.cfg.Addr, DstMAC: s.cfg.MAC}, h, slices.Repeat([]int32{v}, s.cfg.Values))
	if s.agg.Receive(frame) != program.Send {
		return
	}
	var out wire.Header
	out.Read(frame[wire.HeaderOffset:])
	sum := make([]int32, s.cfg.Values)
	wire.ReadValues(sum, frame[wire.ValuesOffset:])
	if _, before := s.sent[out.Gradient]; before && !flags.Has(wire.Retransmit) {
		s.twice++
	}
	s.sent[out.Gradient] = sum[0]
}

// wrong counts fragments whose sum, in the element or in the packet that left, is not that of each child once.
func (s *stored) wrong() (wrong int) {
	for i := range storeFragments {
		want := int32(0)
		for _, row := range s.values {
			want += row[i]
		}
		e, out := s.agg.Sum(uint32(i+1)), s.sent[uint32(i+1)]
		right := out == want && int(e.Counter) == len(s.values) && bits.OnesCount32(e.Bitmap) == len(s.values)
		for _, v := range e.Values {
			right = right && v == want
		}
		wrong += btoi(!right)
	}
	return wrong + s.twice
}

// kept returns how many packets were added beyond one of each child and fragment.
func (s *stored) kept() int {
	t := s.agg.Tally()
	return int(t[program.Added]) - len(s.values)*storeFragments
}
