package trio

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Packets come one at a time: with and without time a PFE sends the same.
func TestTimedEqualsInstant(t *testing.T) {
	prog := compile(t, "ways", ways)
	rapid.Check(t, func(t *rapid.T) {
		instant, timed := newBench(t, Config{Program: prog}), newBench(t, Config{Program: prog, Timing: timed()})
		for range rapid.IntRange(1, 10).Draw(t, "packets") {
			in := anyPacket(t, 5)
			instant.handle(in)
			timed.handle(in).idle()
		}
		if diff := cmp.Diff(frames(instant.take()), frames(timed.take())); diff != "" {
			t.Errorf("instant and timed sent (-instant +timed):\n%s", diff)
		}
		if diff := cmp.Diff(instant.p.Counters(), timed.p.Counters()); diff != "" {
			t.Errorf("instant and timed counted (-instant +timed):\n%s", diff)
		}
	})
}

// anyPacket draws a packet whose kind is below a limit.
func anyPacket(t *rapid.T, kinds int) sansio.Arrival {
	p := payload(byte(rapid.IntRange(0, kinds-1).Draw(t, "kind")), byte(rapid.IntRange(0, 3).Draw(t, "arg")),
		uint16(rapid.IntRange(0, 400).Draw(t, "count")), rapid.SampledFrom([]int{0, 1, 100, 155, 156, 157, 220, 1000}).Draw(t, "bytes"))
	in := train(rapid.IntRange(0, 3).Draw(t, "flow"), p)
	if rapid.IntRange(0, 9).Draw(t, "unstored") == 0 {
		in.Train.Unstored = rapid.IntRange(1, 1000).Draw(t, "bytes")
		inet.SetUDPBody(in.Train.Header, len(p)+in.Train.Unstored)
		sansio.FillPartial(in.Train.Header, len(p)+in.Train.Unstored)
	}
	return in
}

// Every packet comes to one end, flows keep their order, and a second run is the
// same to the picosecond.
func TestPacketsAreConservedAndOrdered(t *testing.T) {
	prog := compile(t, "spin", spin)
	rapid.Check(t, func(t *rapid.T) {
		type arrival struct {
			after units.Time
			in    sansio.Arrival
		}
		var list []arrival
		for i := range rapid.IntRange(1, 60).Draw(t, "packets") {
			p := payload(0, byte(rapid.IntRange(0, 3).Draw(t, "what")), uint16(rapid.IntRange(0, 60).Draw(t, "spin")), 0)
			list = append(list, arrival{units.Time(rapid.IntRange(0, 500).Draw(t, "gap")) * ns,
				train(rapid.IntRange(0, 2).Draw(t, "flow"), append(p, byte(i)))})
		}
		limit := rapid.IntRange(1, 20).Draw(t, "queue")
		run := func() *bench {
			b := newBench(t, Config{Program: prog, Timing: timed(), PPEs: 16, Threads: 1, Queue: limit})
			for _, a := range list {
				b.at(b.now + a.after).handle(a.in)
			}
			return b.idle()
		}
		b := run()
		ends := b.count(CountForwarded) + b.count(CountConsumed) + b.count(DropQueue) + b.count("spin-drop-1")
		if ends != uint64(len(list)) {
			t.Errorf("%d packets came and %d came to an end: %v", len(list), ends, b.p.Counters())
		}
		latest := map[byte]byte{}
		for _, s := range b.out {
			flow, tag := s.frame[29], s.frame[len(s.frame)-1]
			if s.port == 1 && len(s.frame) > 42 {
				if tag+1 <= latest[flow] {
					t.Errorf("flow %d: packet %d left behind a later one", flow, tag)
				}
				latest[flow] = tag + 1
			}
		}
		if s := b.p.Snapshot(); s.PacketMemory != 0 || s.Flows != 0 || s.InUse.Now != 0 || s.Reorder != 0 {
			t.Errorf("left behind: %+v", s)
		}
		again := run()
		if !slices.Equal(b.out, again.out) {
			t.Errorf("two runs differ:\n%v\n%v", frames(b.out), frames(again.out))
		}
	})
}

// Trains mean their frames: split or joined they have the same effects.
func TestTrainsMeanTheirFrames(t *testing.T) {
	prog := compile(t, "ways", ways)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{0, 60, 156, 400}).Draw(t, "bytes")
		var parts [][]byte
		for range rapid.IntRange(2, 12).Draw(t, "frames") {
			parts = append(parts, payload(byte(rapid.IntRange(0, 5).Draw(t, "kind")), byte(rapid.IntRange(0, 1).Draw(t, "arg")), 0, size))
		}
		joined := train(1, parts...)
		at := rapid.IntRange(1, len(parts)-1).Draw(t, "split")
		one, two := newBench(t, Config{Program: prog}), newBench(t, Config{Program: prog})
		one.handle(joined)
		split := []sansio.Arrival{
			{Port: 1, Train: joined.Train.Sub(0, at, nil)}, {Port: 1, Train: joined.Train.Sub(at, len(parts), nil)},
		}
		two.handle(split...)
		if diff := cmp.Diff(frames(one.take()), frames(two.take())); diff != "" {
			t.Errorf("split at %d (-joined +split):\n%s", at, diff)
		}
	})
}

// Bodies in memory that counts its keepers are kept, not copied, for as long as
// their packets are inside.
func TestBodiesAreKept(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "spin", spin), Timing: timed()})
	sender := sansio.Effects{Keeping: true}
	arrive := func(flow int, fill byte) sansio.Arrival {
		in := train(flow, payload(0, 0, 100, 800))
		body := sender.Body(len(in.Train.Body))
		copy(body, in.Train.Body)
		for i := 8; i < len(body); i++ {
			body[i] = fill
		}
		in.Train.Body, in.Train.Memory = body, sender.Owner(body)
		return in
	}
	var want []string
	for i := range 3 {
		in := arrive(i, byte(i+1))
		want = append(want, frameOf(in))
		b.handle(in)
		if k := b.p.clock.threads[i].work.packet; &k.train.Body[0] != &in.Train.Body[0] {
			t.Error("the body was copied")
		}
		sender.Reset()
	}
	for i, s := range b.idle().take() {
		if s.frame != want[i] {
			t.Errorf("packet %d left as %x, want %x", i, s.frame, want[i])
		}
	}
	sender.Reset()
	first := &arrive(0, 9).Train.Body[0]
	sender.Reset()
	if &arrive(0, 9).Train.Body[0] != first {
		t.Error("memory of packets that have left is still kept")
	}
}
