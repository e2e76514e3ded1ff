package pipeline

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/clienttest"
)

// clientSwitch is the chip and the reference program in front of workers of the public client:
// they do the same.
type clientSwitch struct {
	*twin
	elements int
}

func newClientSwitch(t testing.TB, c clienttest.Config) *clientSwitch {
	return &clientSwitch{newTwin(t, oneJob(c.Elements, c.Slots(), c.Workers), Options{}), c.Elements}
}

// Handle meets clienttest.Switch.
func (s *clientSwitch) Handle(p *clienttest.Packet) (out []clienttest.Result, late bool) {
	h := p.Header(s.elements)
	v := vector{w: p.Worker, set: h.Set, slot: h.Slot, id: h.PacketID, job: h.Job, elements: s.elements, value: func(int) int32 { return p.Value() }}
	before := s.count(switchml.DropLate)
	for _, f := range s.give(arrivalOfVector(v)) {
		r := f.header()
		out = append(out, clienttest.Result{Worker: int(f.port), Thread: p.Thread, Tensor: r.Job, ID: r.PacketID, Sum: f.value(s.elements - 1)})
	}
	s.events.list, s.told.list = nil, nil
	return out, s.count(switchml.DropLate) > before
}

// Nothing that public clients send for the first time is dropped as late: in the two cases in
// which tags that wrapped with the job byte did, and in drawn runs.
func TestPublicClient(t *testing.T) {
	one := func(n int, last ...clienttest.Tensor) (list []clienttest.Tensor) {
		for range n {
			list = append(list, clienttest.Tensor{Values: 1})
		}
		return append(list, last...)
	}
	for name, c := range map[string]struct {
		cfg     clienttest.Config
		tensors []clienttest.Tensor
	}{
		"258 tensors of one packet, 256 packets on their way":  {clienttest.Config{Workers: 2, Threads: 1, Outstanding: 256, Elements: 64}, one(258)},
		"253 tensors of one value, then one for both threads":  {clienttest.Config{Workers: 2, Threads: 2, Outstanding: 32, Elements: 64}, one(253, clienttest.Tensor{Values: 200 * 64})},
		"the same, of 256 values a packet":                     {clienttest.Config{Workers: 2, Threads: 2, Outstanding: 8, Elements: 256}, one(253, clienttest.Tensor{Values: 20 * 256})},
		"floats, one thread idle for more than two job bytes'": {clienttest.Config{Workers: 1, Threads: 3, Outstanding: 6, Elements: 64}, one(515, clienttest.Tensor{Values: 999, Floats: true})},
	} {
		r := clienttest.NewRack(c.cfg, newClientSwitch(t, c.cfg))
		if err := r.Run(c.tensors...); err != nil || r.FirstLate > 0 || r.Resent > 0 {
			t.Errorf("%s: %v, %d first packets late, %d sent again", name, err, r.FirstLate, r.Resent)
		}
	}
	for seed := range 6 {
		r, tensors := drawnClients(t, seed)
		if err := r.Run(tensors...); err != nil || r.FirstLate > 0 {
			t.Errorf("seed %d: %v, %d first packets late", seed, err, r.FirstLate)
		}
	}
}

// drawnClients returns workers that do what they can in any order, and tensors for them, mostly
// of one value.
func drawnClients(t testing.TB, seed int) (*clienttest.Rack, []clienttest.Tensor) {
	stream := rng.Root(seed).Stream("clients")
	cfg := clienttest.Config{Workers: 1 + stream.IntN(3), Threads: 1 + stream.IntN(3), Elements: 64}
	cfg.Outstanding = cfg.Threads * (1 + stream.IntN(12))
	tensors := make([]clienttest.Tensor, 400)
	for i := range tensors {
		tensors[i] = clienttest.Tensor{Values: 1, Floats: stream.IntN(2) == 0}
		if stream.IntN(20) == 0 {
			tensors[i].Values = stream.IntN(2 * cfg.Outstanding * cfg.Elements)
		}
	}
	r := clienttest.NewRack(cfg, newClientSwitch(t, cfg))
	r.Choose = stream.IntN
	r.Waits = func() bool { return stream.IntN(5) == 0 }
	return r, tensors
}

// Timers that clients leave running send packets of tensors that may be far behind: chip and
// reference program take them alike, right or wrong.
func TestPublicClientsTimersOfEarlierTensors(t *testing.T) {
	for seed := range 6 {
		r, tensors := drawnClients(t, seed)
		r.Waits, r.Stale = nil, func(age uint64) bool { return age%3 == 0 }
		_ = r.Run(tensors...)
	}
}

// Every number of tensors that may pass a slot by, two rounds of the job byte, beginning
// anywhere in them: the next packets of the slot are new, and chip and reference
// program tell alike whether a copy of those before is late.
func TestIdleSlotsAreTakenUp(t *testing.T) {
	const most = 520
	for from := 0; from < 4*quarter; from += 3 {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			w := newTwin(t, oneJob(64, most+2, 2), Options{})
			send := func(worker, tensor, slot int, set uint8) []sent {
				v := packetOf(worker, 0, 64)
				v.slot, v.set, v.job = uint16(slot), set, uint8(tensor)
				return w.give(arrivalOfVector(v))
			}
			busy := func(tensor int) {
				for worker := range 2 {
					send(worker, tensor, most+1, uint8(tensor%2))
				}
			}
			for tensor := range from {
				busy(tensor)
			}
			for slot := range most + 1 {
				send(0, from, slot, 0)
				send(1, from, slot, 0)
			}
			for passed := 1; passed <= most; passed++ {
				busy(from + passed)
				if first, second := send(0, from+passed, passed, 1), send(1, from+passed, passed, 1); len(first) != 0 || len(second) != 2 {
					t.Fatalf("slot idle for %d tensors: %d and %d packets leave", passed, len(first), len(second))
				}
				send(0, from, passed, 0)
			}
			w.agree()
			if w.count(switchml.DropLate) < 2*quarter-1 {
				t.Errorf("%d copies are late", w.count(switchml.DropLate))
			}
		})
	}
}

// Packets of slots that are used now and then, of the tensor at hand or of some behind, and copies
// of those before: chip and reference program take them alike.
func TestTagsOfAnyPackets(t *testing.T) {
	const slots = 40
	for seed := range 12 {
		stream := rng.Root(seed).Stream("packets")
		tensor, cfg := stream.IntN(256), oneJob(64, slots, 1)
		cfg.Jobs[0].FirstByte = uint8(tensor)
		w := newTwin(t, cfg, Options{})
		type use struct{ tensor, id int }
		var uses [slots][]use // of each slot, of sets in turn
		for range 600 {
			tensor += []int{1, 1, 1, 1, 1, 1, 1, 63, 64, 65}[stream.IntN(10)]
			for range 6 {
				slot := stream.IntN(slots)
				if stream.IntN(2) == 0 {
					uses[slot] = append(uses[slot], use{tensor - []int{0, 0, 0, 1, 63, 64, 65, 128}[stream.IntN(8)], stream.IntN(4)})
				}
				back := 1 + stream.IntN(3) // of the newest use, or of one before
				if back > len(uses[slot]) {
					continue
				}
				at := len(uses[slot]) - back
				v := packetOf(0, 0, 64)
				v.slot, v.set, v.job, v.id = uint16(slot), uint8(at%2), uint8(uses[slot][at].tensor), uint32(uses[slot][at].id)
				w.give(arrivalOfVector(v))
			}
		}
		w.agree()
		if late, results := w.count(switchml.DropLate), w.count(switchml.CountResults); late < 50 || results < 50 {
			t.Errorf("seed %d: %d late, %d results", seed, late, results)
		}
	}
}
