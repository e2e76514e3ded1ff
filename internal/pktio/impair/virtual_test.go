package impair

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// A body in memory that can be kept is not copied, and it is given back when its
// last frame has left.
func TestKeptBodiesAreNotCopied(t *testing.T) {
	lender := sansio.Effects{Keeping: true}
	l, err := New(Config{Params: Params{Rate: gigabit}})
	if err != nil {
		t.Fatal(err)
	}
	tr := kilo(0, 3)
	body := append(lender.Body(len(tr.Body))[:0], tr.Body...)
	tr.Body, tr.Memory = body, lender.Owner(body)
	var eff sansio.Effects
	l.Handle(0, []sansio.Arrival{{Train: tr}}, &eff)
	eff.Reset()
	lender.Reset()
	clear(tr.Header) // borrowed
	for i := range 3 {
		if next := lender.Body(10); &next[0] == &body[0] {
			t.Fatalf("the memory is lent out again with %d frames inside", 3-i)
		}
		lender.Reset()
		l.Expire(l.NextDeadline(), &eff)
		got := eff.Sends[0].Train
		if &got.Body[0] != &body[i*len(body)/3] || got.Memory != tr.Memory {
			t.Errorf("frame %d was copied", i)
		}
		if _, problem := inet.Parse(append(slices.Clone(got.Header), got.Body...)); problem != inet.OK {
			t.Errorf("frame %d: %s", i, problem)
		}
		eff.Reset()
	}
	lender.Reset()
	if next := lender.Body(10); &next[0] != &body[0] {
		t.Error("the memory was not given back")
	}
}

// kept returns the train with its body in memory that can be kept.
func kept(lender *sansio.Effects, t sansio.Train) sansio.Train {
	t.Body = append(lender.Body(len(t.Body))[:0], t.Body...)
	t.Memory = lender.Owner(t.Body)
	return t
}

// unstored returns frames of the sizes that those of t have, whose bodies hold
// their last four bytes only: the rest is unstored.
func unstored(t sansio.Train) sansio.Train {
	n := t.Frames()
	var body []byte
	for i := range n {
		p := t.Payload(i)
		body = append(body, p[len(p)-4:]...)
	}
	return sansio.Train{Header: slices.Clone(t.Header), Body: body, Seg: 4, Unstored: t.Seg - 4, Checksum: t.Checksum}
}

// The link does the same to frames whose bodies are kept, or unstored, as to
// others: same times, same fates, same headers.
func TestKeptAndUnstoredFramesMeetTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		params := Params{
			Rate: rapid.SampledFrom([]units.Rate{0, gigabit, 3 * gigabit}).Draw(t, "rate"), Delay: rapid.SampledFrom([]units.Duration{0, 20 * us}).Draw(t, "delay"),
			LossEvery: rapid.SampledFrom([]int{0, 3, 7}).Draw(t, "loss"), Queue: rapid.SampledFrom([]units.Bytes{0, 20 * kiloFrame}).Draw(t, "queue"),
			Overhead: rapid.SampledFrom([]units.Bytes{0, -500}).Draw(t, "overhead"),
		}
		plain, keeping, counting := newBench(t, Config{Params: params}), newBench(t, Config{Params: params}), newBench(t, Config{Params: params})
		lender := sansio.Effects{Keeping: true}
		now, id := units.Time(0), 0
		for range rapid.IntRange(1, 20).Draw(t, "arrivals") {
			now = now.Add(units.Duration(rapid.IntRange(0, 40).Draw(t, "gap")) * us)
			n := rapid.IntRange(1, 12).Draw(t, "frames")
			tr := kilo(id, n)
			id += n
			plain.at(now, tr)
			counting.at(now, unstored(tr))
			keeping.runTo(now)
			keeping.link.Handle(now, []sansio.Arrival{{Train: kept(&lender, tr)}}, &keeping.eff)
			keeping.collect(now)
			lender.Reset()
		}
		for _, b := range []*bench{plain, keeping, counting} {
			b.drain()
		}
		if len(keeping.seen) != len(plain.seen) || len(counting.seen) != len(plain.seen) || plain.link.Stats() != keeping.link.Stats() || plain.link.Stats() != counting.link.Stats() {
			t.Fatalf("counts differ: %+v\nkept %+v\ncounted %+v", plain.link.Stats(), keeping.link.Stats(), counting.link.Stats())
		}
		for i, want := range plain.seen {
			if got := keeping.seen[i]; got != want {
				t.Fatalf("kept frame %v, want %v", got, want)
			}
			got := counting.seen[i]
			if got.at != want.at || got.id != want.id || got.bytes[:headerLen] != want.bytes[:headerLen] {
				t.Fatalf("counted frame %v, want %v", got, want)
			}
		}
	})
}
