package reference

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
)

// client is the smallest worker that obeys Algorithm 4: for each slot one packet
// in flight, sent again and again until its result is here.
type client struct{ phase []int }

// sample is worker w's first value in a phase of a slot.
func sample(w, slot, phase int) int32 {
	return int32(uint32(w+1)*2654435761 + uint32(slot)*40503 + uint32(phase)*1_000_003)
}

func (c client) packet(w, slot int) vector {
	p := c.phase[slot]
	return vector{w: w, set: uint8(p % 2), slot: uint16(slot), id: uint32(p), e0: int8(w - p), values: val(sample(w, slot, p))}
}

// expected is the oracle: the sum over all workers.
func expected(n, slot, phase int) (sum int32) {
	for w := range n {
		sum += sample(w, slot, phase)
	}
	return sum
}

// Any order of workers and slots, any packet lost on either way, any number of
// retransmissions, but every path FIFO: each result is the sum over all workers
// of its phase, and nobody is ever left without a way on.
func TestResultsAreSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, slots := rapid.IntRange(1, 5).Draw(t, "workers"), rapid.IntRange(1, 3).Draw(t, "slots")
		b := newBench(t, testConfig(n, slots))
		clients := make([]client, n)
		for w := range clients {
			clients[w].phase = make([]int, slots)
		}
		// A little help at the end: without losses everybody must get on.
		random := rapid.IntRange(0, 150).Draw(t, "steps")
		for step := range random + 3*n*slots {
			w, slot, lost := step%n, step/n%slots, [2]bool{}
			if step < random {
				w, slot = rapid.IntRange(0, n-1).Draw(t, "worker"), rapid.IntRange(0, slots-1).Draw(t, "slot")
				lost[0] = rapid.IntRange(0, 4).Draw(t, "lost up") == 0
			}
			if lost[0] {
				continue
			}
			before := clients[w].phase[slot]
			for _, o := range b.send(clients[w].packet(w, slot)) {
				c, at := &clients[o.to], int(o.h.Slot)
				if int(o.h.PacketID) != c.phase[at] {
					continue // answered twice: a retransmission was on its way
				}
				if o.values[0] != expected(n, at, c.phase[at]) || int(o.h.Set) != c.phase[at]%2 || o.h.E0 != int8(n-1-c.phase[at]) {
					t.Fatalf("worker %d, slot %d, phase %d: %d with exponent %d, want %d", o.to, at, c.phase[at], o.values[0], o.h.E0, expected(n, at, c.phase[at]))
				}
				if step >= random || rapid.IntRange(0, 4).Draw(t, "lost down") != 0 {
					c.phase[at]++
				}
			}
			for other := range clients {
				if d := clients[other].phase[slot] - before; d > 2 || d < -2 {
					t.Fatalf("workers %d and %d are %d phases apart", w, other, d)
				}
			}
		}
		for slot := range slots { // three rounds without loss: all were answered
			for w := range clients {
				if clients[w].phase[slot] == 0 {
					t.Fatalf("worker %d is stuck in slot %d", w, slot)
				}
			}
		}
	})
}

// "no worker node can ever lag more than one chunk behind any of the others for a
// particular slot" (§4.5), and frames in trains are as good as frames alone.
func TestTrainsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, slots := rapid.IntRange(1, 4).Draw(t, "workers"), rapid.IntRange(1, 4).Draw(t, "slots")
		alone, joined := newBench(t, testConfig(n, slots)), newBench(t, testConfig(n, slots))
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			a, j := len(alone.out), len(joined.out)
			var in []sansio.Arrival
			for range rapid.IntRange(1, 3).Draw(t, "trains") {
				w := rapid.IntRange(0, n-1).Draw(t, "worker")
				var payloads [][]byte
				for range rapid.IntRange(1, 5).Draw(t, "frames") {
					v := vector{
						w: w, set: uint8(rapid.IntRange(0, 1).Draw(t, "set")), slot: uint16(rapid.IntRange(0, slots).Draw(t, "slot")), // one too many
						id: rapid.Uint32Range(0, 3).Draw(t, "id"), values: val(rapid.Int32().Draw(t, "value")),
					}
					payloads = append(payloads, v.payload())
					alone.send(v)
				}
				in = append(in, arrival(w, payloads...))
			}
			joined.handle(in...)
			if x, y := sorted(alone.out[a:]), sorted(joined.out[j:]); !slices.EqualFunc(x, y, same) {
				t.Fatalf("alone %+v, in trains %+v", x, y)
			}
		}
		if !slices.Equal(alone.events, joined.events) || !slices.Equal(alone.p.Counters(), joined.p.Counters()) {
			t.Fatalf("events or counters differ: %+v and %+v", alone.p.Counters(), joined.p.Counters())
		}
	})
}

// sorted orders the packets of a batch: answers to one worker go out before the
// batch's multicasts, so only what each worker gets is the same.
func sorted(out []output) []output {
	out = slices.Clone(out)
	slices.SortStableFunc(out, func(a, b output) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.h.Slot, b.h.Slot), cmp.Compare(a.h.Set, b.h.Set),
			cmp.Compare(a.h.PacketID, b.h.PacketID), cmp.Compare(a.values[0], b.values[0]))
	})
	return out
}

func same(a, b output) bool { return a.to == b.to && a.h == b.h && slices.Equal(a.values, b.values) }
