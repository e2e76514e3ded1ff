package unit

import "fmt"

// shadowBounds are the bounds of one exploration of Algorithms 3 and 4.
type shadowBounds struct {
	workers  int
	chunks   int  // that the slot carries one after the other
	capacity int  // packets in one channel; what comes to a full one is lost
	reorder  bool // worker to switch, packets may overtake each other
}

// Most workers and most packets in a channel of any exploration.
const (
	shadowWorkers  = 3
	shadowCapacity = 2
)

// shadowState is everything about one slot, its workers and their channels.
// Packets and results are named by the chunk that they are of; on the wire there
// is its lowest bit only, the version.
type shadowState struct {
	chunk    [shadowWorkers]int8 // that the worker waits for; all are done at [shadowBounds.chunks]
	up, down [shadowWorkers]channel
	set      [2]copyOf
}

// copyOf is pool, count and seen of Algorithm 3 for one version.
type copyOf struct {
	count int8
	seen  [shadowWorkers]bool
	in    [shadowWorkers]int8 // 1 + the chunk of each worker's part in the sum; 0: none
}

// channel is a FIFO of chunks.
type channel struct {
	n  int8
	at [shadowCapacity]int8
}

func (c *channel) push(chunk int8, capacity int) {
	if int(c.n) < capacity {
		c.at[c.n] = chunk
		c.n++
	}
}

func (c *channel) take(i int8) int8 {
	chunk := c.at[i]
	copy(c.at[i:], c.at[i+1:])
	c.n--
	c.at[c.n] = 0
	return chunk
}

// shadowStep is something that may happen; a packet that is delivered and stays
// has been duplicated.
type shadowStep struct {
	kind   shadowKind
	worker int8
	place  int8 // in the channel; not 0 only with reordering
	stays  bool
}

type shadowKind int8

const (
	stepResend shadowKind = iota // Algorithm 4, line 20: timeout
	stepLoseUp
	stepLoseDown
	stepSwitch // Algorithm 3 takes a packet
	stepWorker // Algorithm 4 takes a result
)

// steps hands every step that can be made in a state to try.
func (b shadowBounds) steps(s *shadowState, try func(shadowStep)) {
	for w := range int8(b.workers) {
		if int(s.chunk[w]) < b.chunks && int(s.up[w].n) < b.capacity {
			try(shadowStep{kind: stepResend, worker: w})
		}
		places := min(s.up[w].n, 1)
		if b.reorder {
			places = s.up[w].n
		}
		for i := range places {
			try(shadowStep{kind: stepLoseUp, worker: w, place: i})
			try(shadowStep{kind: stepSwitch, worker: w, place: i})
			try(shadowStep{kind: stepSwitch, worker: w, place: i, stays: true})
		}
		if s.down[w].n > 0 {
			try(shadowStep{kind: stepLoseDown, worker: w})
			try(shadowStep{kind: stepWorker, worker: w})
			try(shadowStep{kind: stepWorker, worker: w, stays: true})
		}
	}
}

// apply makes a step, and reports whether what comes of it is right.
func (b shadowBounds) apply(s *shadowState, step shadowStep) (ok bool) {
	w := step.worker
	switch step.kind {
	case stepResend:
		s.up[w].push(s.chunk[w], b.capacity)
	case stepLoseUp:
		s.up[w].take(step.place)
	case stepLoseDown:
		s.down[w].take(0)
	case stepSwitch:
		chunk := s.up[w].at[step.place]
		if !step.stays {
			s.up[w].take(step.place)
		}
		return b.algorithm3(s, w, chunk)
	case stepWorker:
		chunk := s.down[w].at[0]
		if !step.stays {
			s.down[w].take(0)
		}
		return b.algorithm4(s, w, chunk)
	}
	return true
}

// algorithm3 takes a packet into the slot. Wrong is a result that is not the sum
// of every worker's part of that chunk.
func (b shadowBounds) algorithm3(s *shadowState, w, chunk int8) bool {
	v := chunk & 1
	c := &s.set[v]
	if c.seen[w] {
		if c.count == 0 {
			s.down[w].push(chunk, b.capacity)
			return b.whole(c, chunk)
		}
		return true
	}
	c.seen[w], s.set[1-v].seen[w] = true, false
	if c.count = (c.count + 1) % int8(b.workers); c.count == 1 {
		c.in = [shadowWorkers]int8{} // overwrites
	}
	if c.in[w] != 0 {
		return false // added twice
	}
	c.in[w] = chunk + 1
	if c.count != 0 {
		return true
	}
	for to := range b.workers {
		s.down[to].push(chunk, b.capacity)
	}
	return b.whole(c, chunk)
}

func (b shadowBounds) whole(c *copyOf, chunk int8) bool {
	for w := range b.workers {
		if c.in[w] != chunk+1 {
			return false
		}
	}
	return true
}

// algorithm4 takes a result: of the version that the worker waits for, which must
// then be the chunk that it waits for; or of the other, which must be the chunk
// before, so that going on from there would be sending the same packet again.
func (b shadowBounds) algorithm4(s *shadowState, w, chunk int8) bool {
	if chunk&1 != s.chunk[w]&1 || int(s.chunk[w]) == b.chunks {
		return chunk == s.chunk[w]-1
	}
	if chunk != s.chunk[w] {
		return false
	}
	s.chunk[w]++
	if int(s.chunk[w]) < b.chunks {
		s.up[w].push(s.chunk[w], b.capacity)
	}
	for other := range b.workers { // no worker lags more than one chunk behind
		if d := s.chunk[w] - s.chunk[other]; d > 1 {
			return false
		}
	}
	return true
}

// finishes reports whether all workers get to the end from a state on, once
// nothing is lost or repeated any more but by timeouts.
func (b shadowBounds) finishes(s shadowState) bool {
	for range 4 * b.chunks * b.workers * b.capacity {
		done := true
		for w := range int8(b.workers) {
			for s.up[w].n > 0 {
				if !b.apply(&s, shadowStep{kind: stepSwitch, worker: w}) {
					return false
				}
			}
		}
		for w := range int8(b.workers) {
			for s.down[w].n > 0 {
				if !b.apply(&s, shadowStep{kind: stepWorker, worker: w}) {
					return false
				}
			}
			if int(s.chunk[w]) < b.chunks {
				done = false
				s.up[w].push(s.chunk[w], b.capacity)
			}
		}
		if done {
			return true
		}
	}
	return false
}

// shadowNode is a state that was reached, and how.
type shadowNode struct {
	state  shadowState
	parent int32
	by     shadowStep
	leaf   bool
}

// explored is the outcome of an exploration.
type explored struct {
	shadowBounds
	nodes []shadowNode // in order of discovery
	bad   int          // states that one step leads on from to a wrong result, or that there is no end from
}

// maxShadowStates bounds an exploration.
const maxShadowStates = 4_000_000

// explore visits every state that can be reached, breadth first. What follows a
// wrong step is not looked at.
func (b shadowBounds) explore() (explored, error) {
	start := shadowState{}
	for w := range b.workers {
		start.up[w].push(0, b.capacity)
	}
	x := explored{shadowBounds: b, nodes: []shadowNode{{state: start, parent: -1, leaf: true}}}
	known := map[shadowState]bool{start: true}
	for i := 0; i < len(x.nodes); i++ {
		if len(x.nodes) > maxShadowStates {
			return x, fmt.Errorf("exploring %d workers, %d chunks, %d packets a channel: more than %d states", b.workers, b.chunks, b.capacity, maxShadowStates)
		}
		from := x.nodes[i].state
		wrong := !b.finishes(from)
		b.steps(&from, func(step shadowStep) {
			to := from
			if !b.apply(&to, step) {
				wrong = true
				return
			}
			if !known[to] {
				known[to] = true
				x.nodes[i].leaf = false
				x.nodes = append(x.nodes, shadowNode{state: to, parent: int32(i), by: step, leaf: true})
			}
		})
		if wrong {
			x.bad++
		}
	}
	return x, nil
}
