package atpps

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

const (
	copyRate   = 60 * units.GbitPerSecond               // §5.5
	frameBytes = inet.UDPHeaders + wire.PayloadLen      // 306 (§3.6)
	copied     = frameBytes * 8 * units.Nanosecond / 60 // of a frame at that rate
)

// copier is a server that copies, of a job that a switch adds whole, and its first packets.
func copier(t testing.TB, ring int) (*rig, Config) {
	cfg := twoRacks()
	cfg.Copy, cfg.Ring, cfg.Streams, cfg.Span = copyRate, ring, wire.Split(10, 1), 100
	return newRig(t, cfg), cfg
}

func whole(cfg *Config, number int, unstored bool) *incoming {
	p := packetOf(cfg, maskOf(0, 1, 2, 3, 4), uint32(number), 0)
	p.fill(maskOf(0, 1, 2, 3, 4), func(w, i int) int32 { return value(uint64(number), w, i) })
	p.unstored = unstored
	return p
}

// Frames are copied one after another, from when they come, and answered then: n of them at once take n times
// their bytes, whether they carry values or lengths.
func TestFramesAreCopiedOneAfterAnother(t *testing.T) {
	for _, unstored := range []bool{false, true} {
		r, cfg := copier(t, 0)
		const n = 40
		var in []sansio.Arrival
		for i := range n {
			in = append(in, whole(&cfg, i+1, unstored).arrival())
		}
		r.feed.Arrive(0, in...)
		if len(r.sent) != 0 {
			t.Fatalf("%d answers before a frame is copied", len(r.sent))
		}
		r.feed.Drain()
		if len(r.sent) != n {
			t.Fatalf("%d answers to %d frames", len(r.sent), n)
		}
		for i, a := range r.sent {
			if want := units.Time(copied) * units.Time(i+1); a.at != want || int(a.Sequence) != i+1 || (a.values == nil) != unstored {
				t.Fatalf("answer %d to number %d at %v, want %v", i, a.Sequence, a.at, want)
			}
		}
		r.sent = nil
		at := r.feed.Now.Add(units.Microsecond) // after a while in which there was nothing to copy
		r.feed.Arrive(at, whole(&cfg, n+1, unstored).arrival())
		r.feed.Drain()
		if want := at.Add(copied); len(r.sent) != 1 || r.sent[0].at != want {
			t.Fatalf("sent %+v, want one at %v", r.sent, want)
		}
	}
}

// What waits is in the ring until it is copied. A frame that does not fit is lost, and counted; the next one
// that does is taken.
func TestFullRing(t *testing.T) {
	r, cfg := copier(t, 3*frameBytes+100)
	for i := range 5 {
		r.feed.Arrive(0, whole(&cfg, i+1, false).arrival())
	}
	if lost := r.counted(DropRing); lost != 2 {
		t.Fatalf("%d frames lost, want 2", lost)
	}
	r.feed.Arrive(units.Time(copied)-1, whole(&cfg, 4, false).arrival())
	r.feed.Arrive(units.Time(copied), whole(&cfg, 5, false).arrival()) // the first is out by now
	r.feed.Drain()
	if lost := r.counted(DropRing); lost != 3 || len(r.sent) != 4 {
		t.Fatalf("%d frames lost, %d answered; want 3 and 4", lost, len(r.sent))
	}
	for i, want := range []uint32{1, 2, 3, 5} {
		if r.sent[i].Sequence != want || integer(r.sent[i].values, 5) != 5*int32(want*1000)+10*100+5*5 {
			t.Errorf("answer %d: number %d, value %d", i, r.sent[i].Sequence, integer(r.sent[i].values, 5))
		}
	}
}

// A frame that is copied at the instant at which another comes has made room, also where the driver
// hands that over first.
func TestRingAtTheInstantOfACopy(t *testing.T) {
	r, cfg := copier(t, frameBytes)
	var eff sansio.Effects
	for i := range 3 {
		now := units.Time(copied) * units.Time(i)
		r.server.Handle(now, []sansio.Arrival{whole(&cfg, i+1, false).arrival()}, &eff)
	}
	if lost := r.counted(DropRing); lost != 0 || r.counted(CountAnswered) != 2 {
		t.Errorf("%d frames lost, %d answered; want 0 and 2", lost, r.counted(CountAnswered))
	}
}

// A server makes of trains what it makes of their frames.
func TestTrainsAreTheirFrames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		together, cfg := copier(t, rapid.SampledFrom([]int{0, 2000}).Draw(rt, "ring"))
		apart := newRig(t, together.server.cfg)
		ce := rapid.Bool().Draw(rt, "marked")
		var train sansio.Train
		var frames []sansio.Arrival
		for i := range rapid.IntRange(1, 20).Draw(rt, "frames") {
			p := whole(&cfg, i+1, false)
			p.ce = ce
			a := p.arrival()
			frames = append(frames, a)
			if i == 0 {
				train = a.Train
				train.Header = slices.Clone(train.Header)
				train.Seg = len(a.Train.Body)
			} else {
				train.Body = append(train.Body, a.Train.Body...)
			}
		}
		inet.SetUDPBody(train.Header, len(train.Body))
		together.feed.Arrive(0, sansio.Arrival{Train: train})
		apart.feed.Arrive(0, frames...)
		for _, f := range []*sansiotest.Feed{&together.feed, &apart.feed} {
			f.Drain()
		}
		if len(together.sent) != len(apart.sent) {
			rt.Fatalf("%d answers to a train, %d to its frames", len(together.sent), len(apart.sent))
		}
		for i := range apart.sent {
			if a, b := together.sent[i], apart.sent[i]; a.Header != b.Header || a.at != b.at {
				rt.Fatalf("answer %d: %+v at %v to a train, %+v at %v to its frames", i, a.Header, a.at, b.Header, b.at)
			}
		}
	})
}
