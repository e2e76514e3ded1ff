package pipeline

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// trainTraffic draws trains of workers who keep no rules: most packets are the next of their slot, some
// come again, are late, or are of another size, slot, job byte or type.
type trainTraffic struct {
	t      *rapid.T
	jobs   []switchml.Job
	phases map[[3]int]int // by job, worker and slot
}

// train draws one of a worker.
func (x *trainTraffic) train() sansio.Arrival {
	at := rapid.IntRange(0, len(x.jobs)-1).Draw(x.t, "job")
	j := &x.jobs[at]
	i := rapid.IntRange(0, len(j.Workers)-1).Draw(x.t, "worker")
	first, stride := rapid.IntRange(0, j.Slots-1).Draw(x.t, "slot"), rapid.IntRange(0, 2).Draw(x.t, "stride")
	var payloads [][]byte
	for n := range rapid.IntRange(1, 48).Draw(x.t, "frames") {
		payloads = append(payloads, x.payload(at, i, (first+n*stride)%j.Slots))
	}
	return arrival(int(j.Workers[i].ID), payloads...)
}

// payload draws a packet of a slot. All of a train have one length, but the last may be shorter.
func (x *trainTraffic) payload(at, i, slot int) []byte {
	j := &x.jobs[at]
	key := [3]int{at, i, slot}
	phase := x.phases[key]
	switch kind := rapid.IntRange(0, 15).Draw(x.t, "kind"); {
	case kind == 0 && phase > 0:
		phase-- // once more
	case kind == 1:
		phase += 2
	case kind < 12:
		x.phases[key]++
	}
	w := int(j.Workers[i].ID)
	v := vector{
		w: w, set: uint8(phase % 2), slot: uint16(slot), id: uint32(phase), job: j.FirstByte, e0: int8(phase - w), e1: int8(13 * w), elements: j.Elements,
		value: func(i int) int32 { return value(w, slot, phase, i) },
	}
	b := v.payload()
	switch rapid.IntRange(0, 40).Draw(x.t, "harm") {
	case 0:
		b[0] ^= 1 << rapid.IntRange(0, 7).Draw(x.t, "type or size")
	case 1:
		b[1] += 64 * rapid.ByteRange(0, 3).Draw(x.t, "quarter")
	case 2:
		b[6] ^= 1 << rapid.IntRange(0, 7).Draw(x.t, "where")
	}
	return b
}

// sameRegisters reports whether two chips have the same in all registers.
func sameRegisters(a, b *Engine) bool {
	for i, p := range a.state.pipes {
		for id := range p.Code().Program().Registers {
			if !bytes.Equal(p.Memory(fit.RegisterID(id)), b.state.pipes[i].Memory(fit.RegisterID(id))) {
				return false
			}
		}
	}
	return true
}

// A train does what its frames do one by one: the same frames in the same order by port, counters, passes,
// tables, registers, events and refusals.
func TestTrainsAreTheirFrames(t *testing.T) {
	rapid.Check(t, trainsAreFrames)
}

func trainsAreFrames(t *rapid.T) {
	o := Options{Half: rapid.IntRange(0, 24).Draw(t, "floats") == 0}
	cfg := bareConfig()
	cfg.Jobs = drawJobs(t, 2)
	for i := range cfg.Jobs {
		cfg.Jobs[i].Slots = rapid.IntRange(1, 60).Draw(t, "slots")
		cfg.Jobs[i].Strict = rapid.IntRange(0, 9).Draw(t, "strict") == 0
		if o.Half {
			cfg.Jobs[i].Elements = HalfElements
		}
	}
	cfg.Faithful = !o.Half && rapid.IntRange(0, 5).Draw(t, "faithful") == 0
	trains, frames := newChip(t, cfg, o), newChip(t, cfg, o)
	if rapid.IntRange(0, 2).Draw(t, "lossy") == 0 {
		for _, c := range []*chip{trains, frames} {
			for _, dir := range []Direction{Arriving, Leaving} {
				if err := c.e.SetDrop(0, dir, 0.3); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	x := &trainTraffic{t: t, jobs: cfg.Jobs, phases: map[[3]int]int{}}
	for range rapid.IntRange(1, 25).Draw(t, "trains") {
		a := x.train()
		var single []sansio.Arrival
		for i := range a.Train.Frames() {
			single = append(single, cloneArrival(sansio.Arrival{Port: a.Port, Train: a.Train.Frame(i, nil)}))
		}
		alone := frames.handle(0, single...)
		if got := trains.handle(0, a); !slices.EqualFunc(got, alone, sameFrame) {
			t.Fatalf("%d frames left for a train, %d for its frames:\n%s", len(got), len(alone), difference(got, alone))
		}
	}
	sameChips(t, trains, frames)
}

// sameChips fails where something differs that trains leave in a chip.
func sameChips(t *rapid.T, a, b *chip) {
	if got, want := a.e.Counters(), b.e.Counters(); !slices.Equal(got, want) {
		t.Fatalf("counters %v, frame by frame %v", got, want)
	}
	if !slices.Equal(a.events.list, b.events.list) {
		t.Fatalf("events\n%+v, frame by frame\n%+v", a.events.list, b.events.list)
	}
	got, _ := json.Marshal(a.e.Chip().Snapshot())
	if want, _ := json.Marshal(b.e.Chip().Snapshot()); !bytes.Equal(got, want) {
		t.Fatalf("snapshot\n%s, frame by frame\n%s", got, want)
	}
	if !sameRegisters(a.e, b.e) {
		t.Fatal("registers differ")
	}
	for _, v := range a.e.Views() {
		if got, want := a.e.View(0, v, 1<<20), b.e.View(0, v, 1<<20); !slices.EqualFunc(got.Rows, want.Rows, slices.Equal) {
			t.Fatalf("view %s: %v, frame by frame %v", v, got.Rows, want.Rows)
		}
	}
	if got, want := a.e.Refusals(0), b.e.Refusals(0); !slices.Equal(got, want) {
		t.Fatalf("refusals %v, frame by frame %v", got, want)
	}
}

// Trains of conforming workers, on wires that lose, double and reorder packets: the chip does what the
// reference program does.
func TestTrainsDoWhatTheReferenceProgramDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs = drawJobs(t, 2)
		for i := range cfg.Jobs {
			cfg.Jobs[i].Slots = rapid.IntRange(2, 12).Draw(t, "slots")
		}
		w := newTwin(t, cfg, Options{})
		x := newTraffic(t, cfg.Jobs, rapid.Bool().Draw(t, "fifo"))
		var waiting []sansio.Arrival // of one worker
		flush := func() {
			if len(waiting) > 0 {
				x.carry(w.give(joined(waiting)))
			}
			waiting = waiting[:0]
		}
		give := func(a sansio.Arrival) []sent {
			if len(waiting) > 0 && waiting[0].Port != a.Port || len(waiting) > 10 {
				flush()
			}
			waiting = append(waiting, a)
			return nil
		}
		for range rapid.IntRange(0, 250).Draw(t, "steps") {
			if rapid.IntRange(0, 30).Draw(t, "now") == 0 {
				flush()
			}
			x.step(give)
		}
		flush()
		w.agree()
		x.heal(func(a sansio.Arrival) []sent { return w.give(a) })
		w.agree()
	})
}

// joined returns arrivals of one worker as one train.
func joined(list []sansio.Arrival) sansio.Arrival {
	var payloads [][]byte
	for i := range list {
		payloads = append(payloads, list[i].Train.Body)
	}
	return arrival(int(list[0].Port), payloads...)
}
