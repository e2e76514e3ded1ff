package pipeline

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// packetOf is what worker w sends in a phase of slot 0.
func packetOf(w, phase, elements int) vector {
	return vector{w: w, set: uint8(phase % 2), id: uint32(phase), elements: elements, value: func(i int) int32 { return value(w, 0, phase, i) }}
}

// ones is a packet whose element i is i in each worker's packet.
func counting(w, elements int) vector {
	return vector{w: w, elements: elements, value: func(i int) int32 { return int32(i) }}
}

// The public program reads the lower half of pipe 3 twice, as port 448 leads there (see
// publicHarvests): elements 128 to 159 come back as 192 to 223. A faithful chip does so; by
// default all elements are right.
func TestPublicProgramReadsOneHalfInTheWrongPipe(t *testing.T) {
	for _, faithful := range []bool{false, true} {
		cfg := oneJob(256, 1, 2)
		cfg.Faithful = faithful
		c := newChip(t, cfg, Options{})
		c.send(counting(0, 256))
		out := c.send(counting(1, 256))
		if len(out) != 2 {
			t.Fatalf("%d results", len(out))
		}
		for i := range 256 {
			want := int32(2 * i)
			if faithful && i >= 128 && i < 160 {
				want = int32(2 * (i + 64))
			}
			if got := out[0].value(i); got != want {
				t.Errorf("faithful %v, element %d: %d, want %d", faithful, i, got, want)
			}
		}
	}
}

// ports is where packets entered an ingress, pass by pass.
type ports []tofino.DevPort

func (p *ports) Passed(o *tofino.Observation) {
	if o.Side == fit.Ingress {
		*p = append(*p, o.Port)
	}
}

// A result takes the ports of the public program if the chip is faithful, by number, and the
// two inside pipe 0 in any case (p4app-switchML, controller/next_step_selector.py).
func TestPortsOfAResult(t *testing.T) {
	for faithful, want := range map[bool]ports{
		false: {0, 128, 256, 384, 384, 256, 256, 128, 128, 64, 68},
		true:  {0, 128, 256, 384, 452, 324, 448, 196, 192, 64, 68},
	} {
		var got ports
		cfg := oneJob(256, 1, 1)
		cfg.Faithful = faithful
		newChip(t, cfg, Options{Observer: &got}).send(counting(0, 256))
		if !slices.Equal(got, want) {
			t.Errorf("faithful %v: a result goes by %v, want %v", faithful, got, want)
		}
	}
}

// With 64 values there is one pipe, and nothing to misread.
func TestFaithfulChipIsRightWith64Values(t *testing.T) {
	cfg := oneJob(64, 1, 1)
	cfg.Faithful = true
	out := newChip(t, cfg, Options{}).send(counting(0, 64))
	for i := range 64 {
		if out[0].value(i) != int32(i) {
			t.Errorf("element %d: %d", i, out[0].value(i))
		}
	}
}

// Ambiguity switchml.late-duplicate: a retransmission of phase 0 that is overtaken by
// its worker's packet of phase 1 finds its bit cleared. Algorithm 3 takes it for the first packet of
// a new phase: it overwrites the shadow copy, and a peer that lost the result of phase 0
// never gets it. With tags the packet is told from a new one.
func TestLateDuplicate(t *testing.T) {
	for _, elements := range []int{64, 256} {
		for _, faithful := range []bool{false, true} {
			cfg := oneJob(elements, 1, 2)
			cfg.Faithful = faithful
			c := newChip(t, cfg, Options{})
			c.send(packetOf(0, 0, elements))
			c.send(packetOf(1, 0, elements)) // complete; worker 1 loses its result
			c.send(packetOf(0, 1, elements)) // worker 0 has it, and goes on
			late := c.send(packetOf(0, 0, elements))
			answer := c.send(packetOf(1, 0, elements)) // worker 1 asks again
			if len(late) != 0 {
				t.Fatalf("%d values, faithful %v: a late packet is answered", elements, faithful)
			}
			if faithful {
				if len(answer) != 0 && answer[0].value(0) == value(0, 0, 0, 0)+value(1, 0, 0, 0) {
					t.Errorf("%d values: Algorithm 3 survives a late packet, which it cannot", elements)
				}
				continue
			}
			if len(answer) != 1 {
				t.Fatalf("%d values: %d answers to the worker that lost its result", elements, len(answer))
			}
			for i := range elements {
				if want := value(0, 0, 0, i) + value(1, 0, 0, i); answer[0].value(i) != want {
					t.Fatalf("%d values, element %d: %d, want %d", elements, i, answer[0].value(i), want)
				}
			}
			if c.count(switchml.DropLate) != 1 {
				t.Errorf("%v: the late packet is not counted", c.e.Counters())
			}
		}
	}
}

// A retransmission that comes when a peer has gone on, but not its own worker, is
// late and is answered: the worker still waits.
func TestLateRetransmissionOfAWorkerThatWaits(t *testing.T) {
	w := newTwin(t, oneJob(256, 1, 3), Options{})
	for worker := range 3 {
		w.give(arrivalOfVector(packetOf(worker, 0, 256)))
	}
	w.give(arrivalOfVector(packetOf(0, 1, 256)))
	if out := w.give(arrivalOfVector(packetOf(1, 0, 256))); len(out) != 1 {
		t.Fatalf("%d answers", len(out))
	}
	w.agree()
}

func arrivalOfVector(v vector) sansio.Arrival { return arrival(v.w, v.payload()) }
