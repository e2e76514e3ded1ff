package pipeline

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// handler is what both programs have.
type handler interface {
	Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects)
}

// Trains as they come live: a worker's packets of 32 slots behind each other.
const (
	benchWorkers = 8
	benchTrain   = 32
	benchWarm    = 20 // rounds after which all has been seen once
)

// benchRound is one phase of 32 slots, worker by worker.
func benchRound(elements, phase int) (out [][]sansio.Arrival) {
	for w := range benchWorkers {
		var payloads [][]byte
		for slot := range benchTrain {
			v := vector{w: w, set: uint8(phase % 2), slot: uint16(slot), id: uint32(phase), elements: elements, value: func(i int) int32 { return value(w, slot, phase, i) }}
			payloads = append(payloads, v.payload())
		}
		out = append(out, []sansio.Arrival{arrival(w, payloads...)})
	}
	return out
}

// stamp gives the packets of a train the id of their phase.
func stamp(t *sansio.Train, phase uint32) {
	for at := 0; at < len(t.Body); at += t.Seg {
		binary.LittleEndian.PutUint32(t.Body[at+2:], phase)
	}
}

// benchRun hands rounds over; each result goes to 8 ports.
func benchRun(b *testing.B, elements int, h handler) {
	rounds := [][][]sansio.Arrival{benchRound(elements, 0), benchRound(elements, 1)}
	var eff sansio.Effects
	phase := 0
	round := func() {
		for _, in := range rounds[phase%2] {
			stamp(&in[0].Train, uint32(phase))
			h.Handle(0, in, &eff)
			eff.Reset()
		}
		phase++
	}
	for range benchWarm {
		round()
	}
	b.SetBytes(int64(4 * elements * benchWorkers * benchTrain))
	b.ReportAllocs()
	for b.Loop() {
		round()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchWorkers/benchTrain, "ns/packet")
}

// BenchmarkHandle is all passes of a packet, results to 8 ports with it.
func BenchmarkHandle(b *testing.B) {
	for _, elements := range []int{64, 256} {
		cfg := oneJob(elements, 64, benchWorkers)
		b.Run(fmt.Sprintf("chip/%d", elements), func(b *testing.B) {
			e, err := New(cfg, Options{})
			if err != nil {
				b.Fatal(err)
			}
			benchRun(b, elements, e)
		})
		b.Run(fmt.Sprintf("reference/%d", elements), func(b *testing.B) {
			p, err := reference.New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			benchRun(b, elements, p)
		})
	}
}
