package unit

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/reports/claims"
)

// oneShadow explores the algorithms, and holds every step of the switch against
// the program: it must do the same.
func oneShadow(f *experiment.Findings, e *experiment.Env) error {
	states, bad, replayed := 0, 0, 0
	for _, b := range []shadowBounds{{workers: 2, chunks: 4, capacity: 2}, {workers: 3, chunks: 3, capacity: 2}} {
		x, err := b.explore()
		if err != nil {
			return err
		}
		every := 5
		if e.Quick {
			every = 50
		}
		n, err := x.holdAgainstProgram(every)
		if err != nil {
			return err
		}
		states, bad, replayed = states+len(x.nodes), bad+x.bad, replayed+n
	}
	reordered, err := shadowBounds{workers: 2, chunks: 3, capacity: 2, reorder: true}.explore()
	if err != nil {
		return err
	}
	m := claims.Number(float64(bad))
	m.Model = "Algorithms 3 and 4, one slot"
	m.Reading = "switchml.late-duplicate: FIFO paths"
	m.Note = fmt.Sprintf("of %d states: all of 2 workers with 4 chunks and of 3 with 3, at most 2 packets in a channel, with loss and duplicates; %d steps held against the program; "+
		"if packets overtake on the way up, %d of %d states go wrong", states, replayed, reordered.bad, len(reordered.nodes))
	f.Set("switchml.s4.5.one-shadow-enough", m)
	return nil
}

// holdAgainstProgram runs the switch's steps on the way to every k-th state that
// no further one was discovered from, through the program, and wants the same
// packets to leave. It returns how many steps it compared.
func (x *explored) holdAgainstProgram(k int) (steps int, err error) {
	leaves := 0
	for i := range x.nodes {
		if !x.nodes[i].leaf {
			continue
		}
		if leaves++; leaves%k != 0 {
			continue
		}
		n, err := x.replay(i)
		if err != nil {
			return steps, err
		}
		steps += n
	}
	return steps, nil
}

// replay holds the way to one state against the program.
func (x *explored) replay(leaf int) (steps int, err error) {
	var way []int
	for i := leaf; x.nodes[i].parent >= 0; i = int(x.nodes[i].parent) {
		way = append(way, i)
	}
	slices.Reverse(way)
	r, err := rig.NewSwitchML(x.workers, 1)
	if err != nil {
		return 0, err
	}
	for _, i := range way {
		step := x.nodes[i].by
		if step.kind != stepSwitch {
			continue
		}
		steps++
		before := x.nodes[x.nodes[i].parent].state
		chunk := before.up[step.worker].at[step.place]
		got, err := r.Send(int(step.worker), uint8(chunk&1), 0, rig.Part(int(step.worker), chunk))
		if err != nil {
			return steps, err
		}
		if want := x.answers(before, step); !slices.Equal(got, want) {
			return steps, fmt.Errorf("worker %d sends chunk %d: the program answers %v, the algorithm %v", step.worker, chunk, got, want)
		}
	}
	return steps, nil
}

// answers returns the packets that leave the switch by a step: with channels
// that are empty and long enough, those that are in them afterwards.
func (b shadowBounds) answers(s shadowState, step shadowStep) (out []rig.SwitchMLResult) {
	for w := range s.down {
		s.down[w] = channel{}
	}
	b.capacity = shadowCapacity
	b.apply(&s, step)
	for w := range b.workers {
		if s.down[w].n > 0 {
			chunk := s.down[w].at[0]
			sum := int32(0)
			for v := range b.workers {
				sum += rig.Part(v, chunk)
			}
			out = append(out, rig.SwitchMLResult{To: w, Value: sum})
		}
	}
	return out
}
