package unit

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// oneShadow explores what the reference program and its workers do with one slot:
// Algorithm 3 as printed, and with the check for late packets that switches here have.
func oneShadow(f *experiment.Findings, _ *experiment.Env) error {
	printed, bad, err := explore(slotBounds{workers: 2, chunks: 4}, slotBounds{workers: 3, chunks: 3})
	if err != nil {
		return err
	}
	late, lateBad, err := explore(slotBounds{workers: 2, chunks: 4, late: true})
	if err != nil {
		return err
	}
	reordered, wrong, err := explore(slotBounds{workers: 2, chunks: 3, reorder: true})
	if err != nil {
		return err
	}
	m := claims.Number(float64(bad + lateBad)).On("Algorithms 3 and 4, as the reference program and workers have them, one slot")
	m.Reading = "switchml.late-duplicate: FIFO paths"
	f.Set("switchml.s4.5.one-shadow-enough", m.RanOn(claims.SwitchReference).Noting("of %d states: all of 2 workers with 4 chunks and of 3 with 3, at most %d packets in a channel, with loss and duplicates; "+
		"of 2 workers also %d with the check for late packets; if packets overtake on the way up, %d of %d states go wrong without it",
		printed, slotCapacity, late, wrong, reordered))
	return nil
}

// slotBounds are the bounds of one exploration of a slot.
type slotBounds struct {
	workers int
	chunks  int  // that the slot carries one after the other
	reorder bool // worker to switch, packets may overtake each other
	late    bool // the switch checks for late packets
}

// Most workers of an exploration, and packets in a channel; what comes to a full one is
// lost.
const (
	slotWorkers  = 3
	slotCapacity = 2
)

// slotState is everything about one slot: the states of its machines, and the frames on
// their way.
type slotState struct {
	worker   [slotWorkers]int32
	switched int32
	up, down [slotWorkers]channel
}

// channel is a FIFO of frames.
type channel struct {
	n  int
	at [slotCapacity]int32
}

func (c *channel) push(id int32) {
	if c.n < slotCapacity {
		c.at[c.n] = id
		c.n++
	}
}

func (c *channel) take(i int) (id int32) {
	id = c.at[i]
	copy(c.at[i:], c.at[i+1:])
	c.n--
	c.at[c.n] = 0
	return id
}

// exploration is that of the programs within bounds.
type exploration struct {
	slotBounds
	frames  frames
	program automaton
	hosts   []*automaton
	states  int
	bad     int // states that one step leads on from to a wrong result, or that there is no end from
}

// newExploration makes the machines.
func newExploration(b slotBounds) (*exploration, error) {
	x := &exploration{slotBounds: b, frames: frames{ids: map[frame]int32{}}}
	cfg := rig.SwitchMLConfig(rig.SwitchMLJob(1, 0, b.workers, 1, b.workers))
	cfg.Faithful = !b.late
	for w := range b.workers {
		cfg := rig.SwitchMLWorker(w, b.workers, b.chunks*rig.Elements, 1)
		var values []int32
		for i := range cfg.Tensor {
			values = append(values, rig.Part(w, i/rig.Elements))
		}
		a := &automaton{host: w, frames: &x.frames, judge: x.judge, fresh: func(eff *sansio.Effects) (sansio.Machine, error) {
			core, err := host.New(cfg)
			if err == nil {
				core.BeginInts(0, 0, values, eff)
			}
			return core, err
		}}
		x.hosts = append(x.hosts, a)
	}
	x.program = automaton{host: -1, frames: &x.frames, fresh: func(*sansio.Effects) (sansio.Machine, error) { return reference.New(cfg) }}
	err := x.program.start()
	for _, a := range x.hosts {
		err = cmp.Or(err, a.start())
	}
	return x, err
}

// sum is that of all workers' parts of a chunk.
func (x *exploration) sum(chunk int) (sum int32) {
	for w := range x.workers {
		sum += rig.Part(w, chunk)
	}
	return sum
}

// judge returns how many results a worker has taken, and whether their sums are right.
func (x *exploration) judge(m sansio.Machine) (taken int, right bool) {
	core := m.(sansiotest.IntCore)
	taken, right = int(sansio.CountOf(core.Counters(), host.CountResults)), true
	for i, got := range core.Sums()[:min(taken, x.chunks)*rig.Elements] {
		right = right && got == x.sum(i/rig.Elements)
	}
	return taken, right
}

// whole reports whether a result has the sums of the chunk that its id says.
func (x *exploration) whole(id int32) bool {
	body := []byte(x.frames.list[id].body)
	h, problem := wire.Parse(body)
	for b := body[wire.HeaderLen:]; problem == wire.OK && len(b) > 0; b = b[4:] {
		if int32(binary.BigEndian.Uint32(b)) != x.sum(int(h.PacketID)-1) {
			return false
		}
	}
	return problem == wire.OK
}

// at returns the state of a worker.
func (x *exploration) at(s *slotState, w int) *machineState {
	return &x.hosts[w].states[s.worker[w]]
}

// steps hands every step that can be made in a state to try. It reports whether what comes
// of it is right. A packet that is taken and stays has been duplicated.
func (x *exploration) steps(s *slotState, try func(step func(*slotState) bool)) {
	for w := range x.hosts {
		if x.at(s, w).armed && s.up[w].n < slotCapacity {
			try(func(s *slotState) bool { return x.work(s, w, timeout) })
		}
		places := min(s.up[w].n, 1)
		if x.reorder {
			places = s.up[w].n
		}
		for i := range places {
			packet := s.up[w].at[i]
			try(func(s *slotState) bool { s.up[w].take(i); return true })
			try(func(s *slotState) bool { s.up[w].take(i); return x.aggregate(s, packet) })
			try(func(s *slotState) bool { return x.aggregate(s, packet) })
		}
		if s.down[w].n > 0 {
			result := s.down[w].at[0]
			try(func(s *slotState) bool { s.down[w].take(0); return true })
			try(func(s *slotState) bool { s.down[w].take(0); return x.work(s, w, result) })
			try(func(s *slotState) bool { return x.work(s, w, result) })
		}
	}
}

// aggregate hands a packet to the switch, whose results must have all workers' parts.
func (x *exploration) aggregate(s *slotState, packet int32) bool {
	r := x.program.react(s.switched, packet)
	s.switched = r.state
	ok := true
	for _, id := range r.sent {
		s.down[x.frames.list[id].host].push(id)
		ok = ok && x.whole(id)
	}
	return ok
}

// work hands a worker a result, or lets its timer expire. What it has taken for sums must
// be right, and no other lags more than one chunk behind.
func (x *exploration) work(s *slotState, w int, input int32) bool {
	r := x.hosts[w].react(s.worker[w], input)
	s.worker[w] = r.state
	for _, id := range r.sent {
		s.up[w].push(id)
	}
	for v := range x.hosts {
		if x.at(s, w).taken-x.at(s, v).taken > 1 {
			return false
		}
	}
	return x.at(s, w).right
}

// finishes reports whether all workers get to the end from a state on, once
// nothing is lost or repeated any more but by timeouts.
func (x *exploration) finishes(s slotState) bool {
	for range 4 * x.chunks * x.workers * slotCapacity {
		done := true
		for w := range x.hosts {
			for s.up[w].n > 0 {
				if !x.aggregate(&s, s.up[w].take(0)) {
					return false
				}
			}
		}
		for w := range x.hosts {
			for s.down[w].n > 0 {
				if !x.work(&s, w, s.down[w].take(0)) {
					return false
				}
			}
			if m := x.at(&s, w); m.taken < x.chunks {
				done = false
				if !m.armed || !x.work(&s, w, timeout) {
					return false
				}
			}
		}
		if done {
			return true
		}
	}
	return false
}

// explore explores the programs as they are within bounds.
func explore(bounds ...slotBounds) (states, bad int, err error) {
	for _, b := range bounds {
		x, err := newExploration(b)
		if err != nil {
			return states, bad, err
		}
		if err := x.run(); err != nil {
			return states, bad, err
		}
		states, bad = states+x.states, bad+x.bad
	}
	return states, bad, nil
}

// maxSlotStates bounds an exploration.
const maxSlotStates = 4_000_000

// run visits every state that can be reached, breadth first. What follows a
// wrong step is not looked at.
func (x *exploration) run() error {
	start := slotState{}
	for w, a := range x.hosts {
		for _, id := range a.first {
			start.up[w].push(id)
		}
	}
	known, list := map[slotState]bool{start: true}, []slotState{start}
	for ; x.states < len(list); x.states++ {
		if len(list) > maxSlotStates {
			return fmt.Errorf("exploring %d workers, %d chunks, %d packets a channel: more than %d states", x.workers, x.chunks, slotCapacity, maxSlotStates)
		}
		from := list[x.states]
		wrong := !x.finishes(from)
		x.steps(&from, func(step func(*slotState) bool) {
			to := from
			if !step(&to) {
				wrong = true
			} else if !known[to] {
				known[to] = true
				list = append(list, to)
			}
		})
		if wrong {
			x.bad++
		}
	}
	return nil
}
