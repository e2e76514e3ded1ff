package vtime

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

// queue is what the benchmarks compare: [Queue] and heap.
type queue interface {
	Push(at units.Time, target int32)
	Pop() Event
}

// BenchmarkHold is the hold model: every event that is popped pushes another,
// some time ahead of it. One operation is both.
func BenchmarkHold(b *testing.B) {
	for _, load := range loads {
		for _, pending := range []int{8, 16, 32, 64, 96, 256, 4096, 65536} {
			name := fmt.Sprintf("%s/%d", load.name, pending)
			b.Run(name+"/heap", func(b *testing.B) { benchmarkHold(b, &heap{}, load, pending) })
			b.Run(name+"/ladder", func(b *testing.B) { benchmarkHold(b, &Queue{}, load, pending) })
		}
	}
}

func benchmarkHold(b *testing.B, q queue, load load, pending int) {
	h := newHold(q, load, pending)
	for range 20 * pending { // towards the steady state
		h.step()
	}
	for b.Loop() {
		h.step()
	}
}

// BenchmarkDrain pushes a million events into an empty queue and pops them all.
// The figure is for one event.
func BenchmarkDrain(b *testing.B) {
	const n = 1 << 20
	for _, fill := range fills {
		at := fill.times(n)
		b.Run(fill.name+"/heap", func(b *testing.B) { benchmarkDrain(b, &heap{}, at) })
		b.Run(fill.name+"/ladder", func(b *testing.B) { benchmarkDrain(b, &Queue{}, at) })
	}
}

func benchmarkDrain(b *testing.B, q queue, at []units.Time) {
	for b.Loop() {
		for i, t := range at {
			q.Push(t, int32(i))
		}
		for range at {
			q.Pop()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(at)), "ns/event")
}

// BenchmarkPast pushes into the past, a few hundred at a time and each time
// earlier than all before, while a hundred thousand events are pending: no rung
// has room for them. Half of them are popped at once.
func BenchmarkPast(b *testing.B) {
	b.Run("heap", func(b *testing.B) { benchmarkPast(b, &heap{}) })
	b.Run("ladder", func(b *testing.B) { benchmarkPast(b, &Queue{}) })
}

func benchmarkPast(b *testing.B, q queue) {
	const pending, batches, batch = 100_000, 1000, 200
	stream := rng.Root(1).Stream("vtime.past")
	for b.Loop() {
		for i := range pending {
			q.Push(units.Time(stream.IntN(int(units.Millisecond))), int32(i))
		}
		for i := range batches {
			for range batch {
				q.Push(-units.Time(i*1000+stream.IntN(1000)), 0)
			}
			for range batch / 2 {
				q.Pop()
			}
		}
		for range pending + batches*batch/2 {
			q.Pop()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(pending+batches*batch)), "ns/event")
}
