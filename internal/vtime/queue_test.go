package vtime

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// oracle is a list that is sorted at all times: a push goes behind all that are
// due before it or with it.
type oracle []Event

func (o *oracle) push(e Event) {
	i, _ := slices.BinarySearchFunc(*o, e.At, func(x Event, at units.Time) int {
		if x.At <= at {
			return -1
		}
		return 1
	})
	*o = slices.Insert(*o, i, e)
}

// pair is a queue and its oracle.
type pair struct {
	q      Queue
	want   oracle
	now    units.Time // of the last event popped
	pushed int32
}

func (p *pair) push(at units.Time) {
	p.q.Push(at, p.pushed)
	p.want.push(Event{at, p.pushed})
	p.pushed++
}

func (p *pair) pop(t rapid.TB) {
	if len(p.want) == 0 {
		return
	}
	want := p.want[0]
	p.want = p.want[1:]
	if got, ok := p.q.Peek(); !ok || got != want {
		t.Fatalf("peek: got %v %t, want %v", got, ok, want)
	}
	if got := p.q.Pop(); got != want {
		t.Fatalf("pop: got %v, want %v", got, want)
	}
	p.now = want.At
}

// repeat does something up to 150 times: more than the bottom holds. It passes
// a time on, of a magnitude drawn once.
func repeat(t *rapid.T, do func(units.Duration)) {
	most := rapid.Int64Range(0, 50).Draw(t, "log2 of the longest")
	n := rapid.IntRange(1, 150).Draw(t, "times") // a drawn length of a slice would mostly be below 10
	for _, d := range rapid.SliceOfN(rapid.Int64Range(0, 1<<most), n, n).Draw(t, "ahead") {
		do(units.Duration(d))
	}
}

// lowestUsed says whether there is a lowest rung that holds events.
func (l *ladder) lowestUsed() bool {
	return len(l.rungs) > 0 && l.rungs[len(l.rungs)-1].used != 0
}

func (p *pair) actions() map[string]func(*rapid.T) {
	extremes := []units.Time{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, units.Never - 1, units.Never}
	return map[string]func(*rapid.T){
		"ahead":  func(t *rapid.T) { repeat(t, func(d units.Duration) { p.push(p.now.Add(d)) }) },
		"past":   func(t *rapid.T) { repeat(t, func(d units.Duration) { p.push(p.now - units.Time(d)) }) },
		"timers": func(t *rapid.T) { repeat(t, func(d units.Duration) { p.push(p.now.Add(units.Millisecond + d)) }) },
		"instant": func(t *rapid.T) {
			at := p.now.Add(units.Duration(rapid.Int64Range(0, 1000).Draw(t, "instant")))
			repeat(t, func(units.Duration) { p.push(at) })
		},
		"falling": func(t *rapid.T) {
			at := p.now.Add(units.Microsecond)
			repeat(t, func(d units.Duration) { at -= units.Time(d); p.push(at) })
		},
		// What crowds below the limit fills the bottom, which then gives half back
		// as a new lowest rung, in the place of those that have run empty.
		"crowd": func(t *rapid.T) {
			span := max(int64(p.q.limit-p.now), 1)
			repeat(t, func(d units.Duration) { p.push(p.now + units.Time(int64(d)%span)) })
		},
		"exhaust": func(t *rapid.T) {
			for p.q.ladder.lowestUsed() {
				p.pop(t)
			}
		},
		"extreme": func(t *rapid.T) { p.push(rapid.SampledFrom(extremes).Draw(t, "at")) },
		"pop":     func(t *rapid.T) { repeat(t, func(units.Duration) { p.pop(t) }) },
		"hold":    func(t *rapid.T) { repeat(t, func(d units.Duration) { p.pop(t); p.push(p.now.Add(d)) }) },
		"drain": func(t *rapid.T) {
			for len(p.want) > 0 {
				p.pop(t)
			}
		},
		"": func(t *rapid.T) {
			if p.q.Len() != len(p.want) {
				t.Fatalf("length %d, want %d", p.q.Len(), len(p.want))
			}
			if err := p.q.check(); err != nil {
				t.Fatal(err)
			}
		},
	}
}

// Pushes and pops in any mixture come out as from a sorted list, and all lists
// stay sound.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pair
		actions := p.actions()
		t.Repeat(actions)
		actions["drain"](t)
		actions[""](t)
	})
}

// The bottom gives back while the lowest rung is empty and the one above begins
// later: what is pushed for the time between keeps its place.
func TestRungThatRanEmptyIsReplaced(t *testing.T) {
	var p pair
	for i := range 200 {
		p.push(units.Time(1000 + 10*i))
	}
	for p.pop(t); p.q.bottom.len() > 0; {
		p.pop(t)
	}
	for i := range 100 { // in the past: half goes to a rung before the first
		p.push(units.Time(500 + i/20))
	}
	for p.q.ladder.lowestUsed() && len(p.q.ladder.rungs) > 1 {
		p.pop(t)
	}
	for i := range 100 {
		p.push(units.Time(100 + i))
	}
	for _, at := range []units.Time{300, 700, 999, 503, 504, 505} {
		p.push(at)
	}
	for len(p.want) > 0 {
		if err := p.q.check(); err != nil {
			t.Fatal(err)
		}
		p.pop(t)
	}
}

// A rung divides a bucket of the one above into 64, each a 64th as wide, down to
// single instants.
func TestRungsGetFiner(t *testing.T) {
	r := newRung(0, units.Never, units.Never)
	for rungs := 1; r.shift > 0; rungs++ {
		if rungs > 11 {
			t.Fatalf("rung %d still has buckets of 2^%d ps", rungs, r.shift)
		}
		finer := r.divide(1)
		if want := max(int(r.shift)-bucketBits, 0); int(finer.shift) != want {
			t.Fatalf("a bucket of 2^%d ps is divided into 2^%d, want 2^%d", r.shift, finer.shift, want)
		}
		r = finer
	}
}

// Every load and every way of filling comes out as from the heap, with enough
// events for several rungs.
func TestSameAsHeap(t *testing.T) {
	for _, load := range loads {
		t.Run("hold/"+load.name, func(t *testing.T) {
			q, h := newHold(&Queue{}, load, 20_000), newHold(&heap{}, load, 20_000)
			for i := range 200_000 {
				if got, want := q.step(), h.step(); got != want {
					t.Fatalf("event %d: got %v, want %v", i, got, want)
				}
			}
		})
	}
	for _, fill := range fills {
		t.Run("fill/"+fill.name, func(t *testing.T) {
			q, h := &Queue{}, &heap{}
			for i, at := range fill.times(100_000) {
				q.Push(at, int32(i))
				h.Push(at, int32(i))
			}
			for i := 0; h.Len() > 0; i++ {
				if got, want := q.Pop(), h.Pop(); got != want {
					t.Fatalf("event %d: got %v, want %v", i, got, want)
				}
			}
			if q.Len() != 0 {
				t.Fatalf("%d events are left", q.Len())
			}
		})
	}
}

// A million events for one instant, half of them pushed when some have been
// popped already, keep their order; events just before and behind do not mix in.
func TestMillionAtOneInstant(t *testing.T) {
	const n, instant = 1_000_000, 5000
	var q Queue
	push := func(from, to int32) {
		for i := from; i < to; i++ {
			q.Push(instant, i)
			if i%1000 == 0 {
				q.Push(instant+1, i)
			}
		}
	}
	push(0, n/2)
	for want := int32(0); want < n; want++ {
		if want == 1000 {
			push(n/2, n)
		}
		if want%1000 == 7 {
			q.Push(instant-1, -want)
			if got := q.Pop(); got.Target != -want {
				t.Fatalf("got %v, want the earlier one, %d", got, -want)
			}
		}
		if got := q.Pop(); got != (Event{instant, want}) {
			t.Fatalf("got %v, want %d", got, want)
		}
	}
	for want := int32(0); want < n; want += 1000 {
		if got := q.Pop(); got != (Event{instant + 1, want}) {
			t.Fatalf("got %v, want %d", got, want)
		}
	}
}

// An owner whose targets have one deadline each pushes again when it moves and
// ignores what is stale: each target comes at its last deadline, once.
func TestMovedDeadlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		moves := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(0, 1e6), 1, 5), 1, 70).Draw(t, "deadlines of targets")
		next := make([]units.Time, len(moves))
		for target, deadlines := range moves {
			slices.Sort(deadlines)
			slices.Reverse(deadlines) // earlier each time
			for _, at := range deadlines {
				q.Push(units.Time(at), int32(target))
				next[target] = units.Time(at)
			}
		}
		popped := 0
		for q.Len() > 0 {
			if e := q.Pop(); e.At == next[e.Target] {
				next[e.Target] = units.Never
				popped++
			}
		}
		if popped != len(moves) {
			t.Fatalf("%d of %d targets came", popped, len(moves))
		}
	})
}

func TestEmpty(t *testing.T) {
	var q Queue
	if e, ok := q.Peek(); ok {
		t.Errorf("an empty queue shows %v", e)
	}
	q.Push(3, 1)
	q.Pop()
	if e, ok := q.Peek(); ok || q.Len() != 0 {
		t.Errorf("a queue that was emptied shows %v", e)
	}
	defer func() {
		if recover() == nil {
			t.Error("Pop from an empty queue did not panic")
		}
	}()
	q.Pop()
}
