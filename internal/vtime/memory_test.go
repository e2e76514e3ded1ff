package vtime

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// held returns the memory of a queue in bytes.
func (q *Queue) held() int {
	return size[Queue]() + cap(q.ladder.pool.nodes)*size[node]() + cap(q.ladder.rungs)*size[rung]()
}

const (
	// kept is what a queue may hold whatever the number of events: itself, 16384
	// nodes of 16 bytes and the usual rungs.
	kept = 5<<10 + 256<<10 + 32<<10

	// perEvent is what it may hold for each event besides: nodes of 16 bytes,
	// of which a quarter is in use.
	perEvent = 64
)

func checkHeld(t *testing.T, q *Queue) {
	t.Helper()
	if held, most := q.held(), kept+perEvent*q.Len(); held > most {
		t.Fatalf("%d events hold %d bytes, want at most %d", q.Len(), held, most)
	}
}

// Memory follows the number of events, up and down, and little is left after a
// burst.
func TestMemoryFollowsEvents(t *testing.T) {
	for _, fill := range fills {
		t.Run(fill.name, func(t *testing.T) {
			var q Queue
			for i, at := range fill.times(300_000) {
				q.Push(at, int32(i))
				checkHeld(t, &q)
			}
			for q.Len() > 0 {
				q.Pop()
				checkHeld(t, &q)
			}
		})
	}
}

// A few events stay while time moves on: what the burst took is given back all
// the same.
func TestMemoryAfterBurst(t *testing.T) {
	for _, load := range loads {
		t.Run(load.name, func(t *testing.T) {
			var q Queue
			h := newHold(&q, load, 100_000)
			for q.Len() > 100 {
				q.Pop()
				h.step()
			}
			checkHeld(t, &q)
		})
	}
}

// The number of rungs does not grow with time, nor with pushes ever further in
// the past once these are gone.
func TestRungsAreBounded(t *testing.T) {
	const most = 12 // all of time divides into 64ths 11 times, and one for what the bottom gave back
	for _, load := range loads {
		t.Run(load.name, func(t *testing.T) {
			var q Queue
			h := newHold(&q, load, 5000)
			for range 500_000 {
				h.step()
				if n := len(q.ladder.rungs); n > most {
					t.Fatalf("%d rungs, want at most %d", n, most)
				}
			}
		})
	}
	t.Run("past, popped at once", func(t *testing.T) {
		var q Queue
		for i := range 1000 {
			q.Push(units.Time(i), 0)
		}
		q.Pop()
		for i := range 10_000 {
			for j := range 2 * bottomMax {
				q.Push(units.Time(j-1000*i), 0)
			}
			for q.Len() > 1005 {
				q.Pop()
			}
			if n := len(q.ladder.rungs); n > most {
				t.Fatalf("%d rungs after %d rounds, want at most %d", n, i, most)
			}
		}
	})
	t.Run("past", func(t *testing.T) {
		var q Queue
		for i := range 200_000 {
			q.Push(units.Time(1000-i), 0)
			if i == 1000 {
				q.Pop()
			}
		}
		for q.Len() > 0 {
			q.Pop()
		}
		checkHeld(t, &q)
	})
}

func TestNoAllocation(t *testing.T) {
	for _, load := range loads {
		for _, pending := range []int{1, 16, 64, 256, 4096, 65536} {
			t.Run(fmt.Sprintf("%s/%d", load.name, pending), func(t *testing.T) {
				h := newHold(&Queue{}, load, pending)
				for range 4 * pending {
					h.step()
				}
				steps := func() {
					for range 10_000 {
						h.step()
					}
				}
				if n := testing.AllocsPerRun(10, steps); n != 0 {
					t.Errorf("%v allocations in 10000 steps", n)
				}
			})
		}
	}
}

// Bursts that come again, each drained, allocate once.
func TestNoAllocationInBursts(t *testing.T) {
	for _, fill := range fills {
		t.Run(fill.name, func(t *testing.T) {
			var q Queue
			at := fill.times(10_000)
			burst := func() {
				for i, at := range at {
					q.Push(at, int32(i))
				}
				for q.Len() > 0 {
					q.Pop()
				}
			}
			if n := testing.AllocsPerRun(10, burst); n != 0 {
				t.Errorf("%v allocations in a burst", n)
			}
		})
	}
}

// The garbage collector has nothing to look for in a queue's arrays.
func TestNoPointers(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Event](), reflect.TypeFor[node](), reflect.TypeFor[rung]()} {
		if hasPointers(typ) {
			t.Errorf("%v has pointers", typ)
		}
	}
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() < reflect.Bool || t.Kind() > reflect.Float64
}
