package vtime

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

// entry is an event of the oracle: a list that is sorted stably.
type entry struct {
	at     units.Time
	target int32
}

// Pushes and pops in any mixture come out as from a list that is sorted, stably,
// before every pop.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		var oracle []entry
		span := rapid.Int64Range(0, 20).Draw(t, "span") // small: many equal times
		for i := range rapid.IntRange(0, 200).Draw(t, "operations") {
			if q.Len() != len(oracle) {
				t.Fatalf("length %d, want %d", q.Len(), len(oracle))
			}
			if len(oracle) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				popBoth(t, &q, &oracle)
				continue
			}
			e := entry{units.Time(rapid.Int64Range(0, span).Draw(t, "at")), int32(i)}
			q.Push(e.at, e.target)
			oracle = append(oracle, e)
		}
		for len(oracle) > 0 {
			popBoth(t, &q, &oracle)
		}
		if q.Len() != 0 {
			t.Fatalf("%d events are left", q.Len())
		}
	})
}

func popBoth(t *rapid.T, q *Queue, oracle *[]entry) {
	slices.SortStableFunc(*oracle, func(a, b entry) int { return int(a.at - b.at) })
	want := (*oracle)[0]
	*oracle = (*oracle)[1:]
	if got := q.Pop(); got.At != want.at || got.Target != want.target {
		t.Fatalf("got %v for %d, want %v for %d", got.At, got.Target, want.at, want.target)
	}
}

func TestEqualTimesKeepTheirOrder(t *testing.T) {
	var q Queue
	for i := range int32(1000) {
		q.Push(7, i)
	}
	q.Push(6, -1)
	for want := int32(-1); want < 1000; want++ {
		if got := q.Pop(); got.Target != want {
			t.Fatalf("got %d, want %d", got.Target, want)
		}
	}
}

func TestExtremes(t *testing.T) {
	var q Queue
	q.Push(units.Never, 3)
	q.Push(-1, 1)
	q.Push(0, 2)
	for want := int32(1); want <= 3; want++ {
		if got := q.Pop(); got.Target != want {
			t.Fatalf("got %d at %v, want %d", got.Target, got.At, want)
		}
	}
}

// BenchmarkHold is the hold model: 100k events pending, each popped one pushes
// another at a random time ahead. One operation is a million events.
func BenchmarkHold(b *testing.B) {
	const pending, events = 100_000, 1_000_000
	stream := rng.Root(1).Stream("vtime")
	ahead := make([]units.Time, 1<<16)
	for i := range ahead {
		ahead[i] = units.Time(stream.IntN(int(units.Millisecond)))
	}
	var q Queue
	for i := range pending {
		q.Push(ahead[i%len(ahead)], int32(i))
	}
	for b.Loop() {
		for i := range events {
			e := q.Pop()
			q.Push(e.At+ahead[i%len(ahead)], e.Target)
		}
	}
	b.ReportMetric(float64(b.N)*events/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
