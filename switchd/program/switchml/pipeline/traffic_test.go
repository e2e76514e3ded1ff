package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// difference shows two lists of frames.
func difference(got, want []sent) string {
	var b strings.Builder
	for i := range max(len(got), len(want)) {
		for _, l := range [][]sent{got, want} {
			if i < len(l) {
				fmt.Fprintf(&b, "port %d, %d bytes: %x...\n", l[i].port, len(l[i].frame), l[i].frame[:min(len(l[i].frame), 68)])
			} else {
				b.WriteString("nothing\n")
			}
		}
	}
	return b.String()
}

// client is the smallest worker that obeys Algorithm 4: for each slot one packet in
// flight, sent again and again until its result is here.
type client struct {
	w, elements int
	perJob      int   // phases of a tensor; the next has the next job byte, and ids from 0
	first       uint8 // job byte
	phase       []int
}

// packet is the one in flight in a slot.
func (c *client) packet(slot int) vector {
	p := c.phase[slot]
	return vector{
		w: c.w, set: uint8(p % 2), slot: uint16(slot), id: uint32(p % c.perJob), job: c.first + uint8(p/c.perJob), elements: c.elements,
		e0: int8(13*c.w - 5*p), e1: int8(p - c.w), value: func(i int) int32 { return value(c.w, slot, p, i) },
	}
}

// waits reports whether the client waits for a result.
func (c *client) waits(s sent) bool {
	h := s.header()
	v := c.packet(int(h.Slot))
	return h.Job == v.job && h.PacketID == v.id && h.Set == v.set
}

// traffic is conforming workers and the wires between them and a switch, which hold
// packets until somebody says what becomes of them.
type traffic struct {
	t       *rapid.T
	clients []*client // by port, which is the worker
	jobs    []switchml.Job
	up      [][][]byte // payloads, by worker
	down    [][]sent   // by worker
	fifo    bool
	stress  bool // loss and duplication
}

func newTraffic(t *rapid.T, jobs []switchml.Job, fifo bool) *traffic {
	x := &traffic{t: t, jobs: jobs, fifo: fifo, stress: true}
	perJob := rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "phases of a tensor")
	for _, j := range jobs {
		for range j.Workers {
			x.clients = append(x.clients, &client{w: len(x.clients), elements: j.Elements, perJob: perJob, first: j.FirstByte, phase: make([]int, j.Slots)})
		}
	}
	x.up, x.down = make([][][]byte, len(x.clients)), make([][]sent, len(x.clients))
	return x
}

// pick returns the packet of a wire that moves next.
func (x *traffic) pick(n int) int {
	if x.fifo || n == 1 {
		return 0
	}
	return rapid.IntRange(0, n-1).Draw(x.t, "overtakes")
}

// most packets that a wire holds.
const mostInFlight = 12

// step lets one thing happen; give is told of packets that come to the switch.
func (x *traffic) step(give func(sansio.Arrival) []sent) {
	w := rapid.IntRange(0, len(x.clients)-1).Draw(x.t, "worker")
	c := x.clients[w]
	switch rapid.IntRange(0, 4).Draw(x.t, "what") {
	case 0, 1:
		if len(x.up[w]) < mostInFlight {
			v := c.packet(rapid.IntRange(0, len(c.phase)-1).Draw(x.t, "slot"))
			x.up[w] = append(x.up[w], v.payload())
		}
	case 2, 3:
		x.rise(w, give)
	case 4:
		x.fall(w)
	}
}

// rise takes a packet of a worker to the switch, or loses or doubles it.
func (x *traffic) rise(w int, give func(sansio.Arrival) []sent) {
	if len(x.up[w]) == 0 {
		return
	}
	i := x.pick(len(x.up[w]))
	p := x.up[w][i]
	fate := 5
	if x.stress {
		fate = rapid.IntRange(0, 9).Draw(x.t, "fate up")
	}
	if fate != 1 || x.fifo { // on a wire that keeps order, a copy follows at once
		x.up[w] = slices.Delete(x.up[w], i, i+1)
	}
	if fate == 0 {
		return
	}
	x.hand(w, p, give)
	if fate == 1 && x.fifo {
		x.hand(w, p, give)
	}
}

// hand gives the switch a packet.
func (x *traffic) hand(w int, payload []byte, give func(sansio.Arrival) []sent) {
	x.carry(give(arrival(w, payload)))
}

// carry puts what left the switch on the wires down.
func (x *traffic) carry(out []sent) {
	for _, s := range out {
		x.down[s.port] = append(x.down[s.port], s)
	}
}

// fall takes a result to its worker, or loses it.
func (x *traffic) fall(w int) {
	if len(x.down[w]) == 0 {
		return
	}
	i := x.pick(len(x.down[w]))
	s := x.down[w][i]
	x.down[w] = slices.Delete(x.down[w], i, i+1)
	if x.stress && rapid.IntRange(0, 9).Draw(x.t, "fate down") == 0 {
		return
	}
	x.deliver(w, s)
}

// deliver checks a result, and lets its worker go on.
func (x *traffic) deliver(w int, s sent) {
	c := x.clients[w]
	if !c.waits(s) {
		return
	}
	slot := int(s.header().Slot)
	for i := range c.elements {
		if want := x.sum(w, slot, c.phase[slot], i); s.value(i) != want {
			x.t.Fatalf("worker %d, slot %d, phase %d, element %d: %d, want %d", w, slot, c.phase[slot], i, s.value(i), want)
		}
	}
	c.phase[slot]++
}

// sum is the oracle: that of all workers of the job of worker w.
func (x *traffic) sum(w, slot, phase, i int) (sum int32) {
	first := 0
	for _, j := range x.jobs {
		if w < first+len(j.Workers) {
			for v := first; v < first+len(j.Workers); v++ {
				sum += value(v, slot, phase, i)
			}
			return sum
		}
		first += len(j.Workers)
	}
	return 0
}

// heal sends everything once more without loss, twice round: everybody gets on.
func (x *traffic) heal(give func(sansio.Arrival) []sent) {
	x.stress, x.fifo = false, true
	start := make([][]int, len(x.clients))
	for w, c := range x.clients {
		start[w] = slices.Clone(c.phase)
	}
	for range 3 {
		for w, c := range x.clients {
			for slot := range c.phase {
				x.sendAgain(w, slot, give)
			}
		}
	}
	x.progress(start)
}

// sendAgain takes what a worker has in flight in a slot to the switch, and all that
// comes of it back.
func (x *traffic) sendAgain(w, slot int, give func(sansio.Arrival) []sent) {
	v := x.clients[w].packet(slot)
	x.up[w] = append(x.up[w], v.payload())
	for len(x.up[w]) > 0 {
		x.rise(w, give)
	}
	for v := range x.clients {
		for len(x.down[v]) > 0 {
			x.fall(v)
		}
	}
}

// progress fails where somebody is where he was.
func (x *traffic) progress(start [][]int) {
	for w, c := range x.clients {
		for slot := range c.phase {
			if c.phase[slot] == start[w][slot] {
				x.t.Fatalf("worker %d is stuck in phase %d of slot %d", w, c.phase[slot], slot)
			}
		}
	}
}
