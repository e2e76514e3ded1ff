package impair

import (
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo"
)

// ect returns a train whose ends react to marks.
func ect(t sansio.Train) sansio.Train {
	inet.IPv4(t.Header[inet.EtherLen:]).SetECN(inet.ECT0)
	return t
}

// marked returns the ordinals of the frames that left with a mark. All headers must be sound.
func (b *bench) marked() (ids []int) {
	for _, s := range b.seen {
		ip := inet.IPv4(s.bytes[inet.EtherLen:])
		if !ip.ChecksumOK() {
			b.fail("frame %d left with a wrong header checksum", s.id)
		}
		if ip.ECN() == inet.CE {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// 1000 bytes take 8.192 us at 1 Gbit/s with framing. A step of 20 frames at once: frame i finds
// i-1 of them waiting, so the threshold of 5 frames marks from the seventh on.
func TestThresholdMarksWhatFindsMoreThanItWaiting(t *testing.T) {
	cfg := Config{Params: Params{Rate: gigabit, Marking: topo.Marking{Min: 5000, Max: 5000}}}
	whole, single := newBench(t, cfg), newBench(t, cfg)
	whole.at(0, ect(train(0, 20, 1000-headerLen)))
	for i := range 20 {
		single.at(0, ect(frameOf(i, 1000)))
	}
	whole.drain()
	single.drain()
	var want []int
	for id := 7; id < 20; id++ {
		want = append(want, id)
	}
	equal(t, "marked of a train", whole.marked(), want)
	equal(t, "marked of single frames", single.marked(), want)
	if n := whole.count(CountMarked); n != uint64(len(want)) {
		t.Errorf("%d marks are counted, want %d", n, len(want))
	}
}

// A frame that cannot be marked is left alone by a threshold and dropped on a slope.
func TestMarkingOfFramesThatCannotBeMarked(t *testing.T) {
	threshold := newBench(t, Config{Params: Params{Rate: gigabit, Marking: topo.Marking{Min: 5000, Max: 5000}}})
	threshold.at(0, train(0, 20, 1000-headerLen))
	threshold.drain()
	if lost, marks := threshold.lost(20), threshold.marked(); len(lost)+len(marks) > 0 {
		t.Errorf("a threshold lost %v and marked %v", lost, marks)
	}
	slope := newBench(t, Config{
		Params:     Params{Rate: gigabit, Marking: topo.Marking{Min: 4999, Max: 5000, P: 1}},
		MarkStream: rng.Root(1).Stream("mark"),
	})
	slope.at(0, train(0, 20, 1000-headerLen))
	slope.drain()
	// A dropped frame does not wait: six wait at the most, and one is on the line.
	if lost, want := slope.lost(20), 14; len(lost) != want || slope.count(DropEarly) != uint64(want) || len(slope.marked()) > 0 {
		t.Errorf("a slope dropped %v (%d counted), want %d", lost, slope.count(DropEarly), want)
	}
}

// On a slope marks are as frequent as the depth says, within the 99% interval.
func TestSlopeMarksInProportion(t *testing.T) {
	const frames, depth = 20_000, 10
	link := newBench(t, Config{
		Params:     Params{Rate: gigabit, Marking: topo.Marking{Min: 5000, Max: 15000, P: 0.2}},
		MarkStream: rng.Root(3).Stream("mark"),
	})
	each := gigabit.TimeToSend(1000 + units.EthernetFraming)
	link.at(0, ect(train(0, depth+1, 1000-headerLen)))
	for i := depth + 1; i < frames; i++ { // one comes as one leaves: it finds nine waiting
		link.at(units.Time(0).Add(units.Duration(i-depth)*each), ect(frameOf(i, 1000)))
	}
	link.drain()
	late := slices.DeleteFunc(link.marked(), func(id int) bool { return id <= depth })
	n := float64(frames - depth - 1)
	const want = 0.2 * (1000*(depth-1) - 5000) / (15000 - 5000)
	checkMean(t, "share of marks", float64(len(late))/n, want, math.Sqrt(want*(1-want)/n))
}

// The average follows the depth by its weight, and falls while the line is idle as if small
// queues had been seen (Floyd and Jacobson, 1993).
func TestAverageFollowsTheDepth(t *testing.T) {
	l, err := New(Config{Params: Params{Rate: gigabit, Marking: topo.Marking{Min: 1, Max: 1e9, P: 1, Weight: 0.25}}, MarkStream: rng.Root(1).Stream("mark")})
	if err != nil {
		t.Fatal(err)
	}
	l.queue.bytes, l.line.free = 1000, units.Time(units.Second)
	want := 0.0
	for range 5 {
		want += 0.25 * (1000 - want)
		if got := l.marker.depth(l, 1000); math.Abs(got-want) > 1e-9 {
			t.Fatalf("average %v, want %v", got, want)
		}
	}
	l.queue.bytes = 0
	l.now = l.line.free.Add(3 * gigabit.TimeToSend(1000+units.EthernetFraming))
	want *= math.Pow(0.75, 3) * 0.75
	if got := l.marker.depth(l, 1000); math.Abs(got-want) > 1e-9 {
		t.Errorf("average after three idle frames %v, want %v", got, want)
	}
}

// Frames of another kind pass a link that marks.
func TestOnlyIPv4IsMarked(t *testing.T) {
	link := newBench(t, Config{Params: Params{Rate: gigabit, Marking: topo.Marking{Min: 1, Max: 1}}})
	for i := range 10 {
		f := ect(frameOf(i, 1000))
		inet.Ether(f.Header).Put(inet.MAC{}, inet.MAC{}, 0x88b5)
		link.at(0, f)
	}
	link.drain()
	if n := link.count(CountMarked); n > 0 || len(link.lost(10)) > 0 {
		t.Errorf("%d frames of an unknown type are marked, %v lost", n, link.lost(10))
	}
}
