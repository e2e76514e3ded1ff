package microcode

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// waiting is a job of two sources with a timeout.
func waiting(id uint8, timeout units.Duration) trioml.Job {
	j := testJob(id, 2)
	j.Timeout, j.BlockMax = timeout, 16
	return j
}

// agedAt has one source send a block of each job, and returns when each comes out, in ms.
func (p *pair) agedAt(at units.Time, jobs ...uint8) map[uint8]units.Time {
	p.t.Helper()
	p.advance(at)
	for _, id := range jobs {
		p.handle(packet(wire.Header{Job: id, Block: uint32(id), Source: 0, SrcCnt: 1, Gen: uint16(at / ms)}, 7))
	}
	out := map[uint8]units.Time{}
	for now := at; len(out) < len(jobs) && now < at+1000*ms; now += ms {
		p.advance(now)
		for _, id := range jobs {
			if _, done := out[id]; !done && !slices.ContainsFunc(p.ref.Open(100), func(b dataplane.OpenBlock) bool { return b.Job == id }) {
				out[id] = now
			}
		}
	}
	return out
}

// Each job's blocks age by the block_exp of its record (trio Fig 17): between that and a period of the
// timer more after their last packet, whatever the others have. The reference program and the Microcode do it alike.
func TestTimeoutsOfJobs(t *testing.T) {
	prog := compiled(t)
	timeouts := map[uint8]units.Duration{1: 10 * units.Millisecond, 2: 30 * units.Millisecond, 3: 25 * units.Millisecond, 4: 255 * units.Millisecond}
	cfg := trioml.Config{Node: "pfe", Threads: 1}
	for id := uint8(1); id <= 4; id++ {
		cfg.Jobs = append(cfg.Jobs, waiting(id, timeouts[id]))
	}
	p := newPair(t, prog, cfg)
	const period = 5 * units.Millisecond
	for _, start := range []units.Time{1 * ms, 1002 * ms, 2004 * ms} {
		for id, at := range p.agedAt(start, 1, 2, 3, 4) {
			if took := at.Sub(start); took < timeouts[id] || took > timeouts[id]+period+units.Millisecond {
				t.Errorf("a block of job %d, of %v, ages after %v", id, timeouts[id], took)
			}
		}
	}
	if got := p.mc.jobs.Period(); got != period {
		t.Errorf("a period of %v, want %v", got, period)
	}
}

// A packet begins the timeout anew.
func TestReferenceRestoresTheTimeout(t *testing.T) {
	p := newPair(t, compiled(t), trioml.Config{Node: "pfe", Threads: 1, Jobs: []trioml.Job{waiting(1, 10*units.Millisecond), waiting(2, 30*units.Millisecond)}})
	p.advance(ms)
	for range 5 {
		p.handle(packet(wire.Header{Job: 2, Source: 1, SrcCnt: 1}, 3)) // the first time; then a duplicate
		p.advance(p.now + 25*ms)
		if p.ref.OpenBlocks() != 1 {
			t.Fatalf("at %v the block is gone, 25ms after a packet of it", p.now)
		}
	}
	if b, ok := p.mc.Block(2, 0); !ok || b.BlockExp != 20 && b.BlockExp != 10 {
		t.Errorf("block_exp of %d ms is left of 30 after 25 ms without a packet", b.BlockExp)
	}
	p.advance(p.now + 20*ms)
	if p.ref.OpenBlocks() != 0 {
		t.Error("the block waits on")
	}
}

// With whatever timeouts, packets and times, and jobs that come and go, both programs do the same.
func TestTimeoutsAsTheReference(t *testing.T) {
	prog := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		timeout := func(name string) units.Duration {
			return units.Duration(rapid.SampledFrom([]int64{2, 5, 10, 30}).Draw(t, name)) * units.Millisecond
		}
		cfg := trioml.Config{
			Node: "pfe", Threads: 1, Jobs: []trioml.Job{waiting(1, timeout("first")), waiting(2, timeout("second"))},
			Age: rapid.SampledFrom([]trioml.AgePolicy{trioml.AgePerBlock, trioml.AgeAbsent}).Draw(t, "age"),
		}
		p := newPair(t, prog, cfg)
		has := map[uint8]bool{1: true, 2: true}
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			p.advance(p.now + units.Time(rapid.IntRange(0, 12).Draw(t, "pause"))*ms)
			id := uint8(rapid.IntRange(1, 3).Draw(t, "job"))
			switch {
			case rapid.IntRange(0, 9).Draw(t, "comes or goes") > 0:
				// one block of a job at a time: those that are visited together would be told apart by their order
				p.handle(packet(wire.Header{Job: id, Source: uint8(rapid.IntRange(0, 1).Draw(t, "source")), SrcCnt: 1, Gen: uint16(i / 8)}, 1, 2))
			case has[id]:
				p.remove(id)
				has[id] = false
			default:
				p.add(waiting(id, timeout("new")))
				has[id] = true
			}
		}
		p.advance(p.now + 100*ms)
		if p.ref.OpenBlocks() != 0 {
			t.Fatal("blocks are open after all timeouts")
		}
	})
}

// add gives both programs a job.
func (p *pair) add(j trioml.Job) {
	p.t.Helper()
	for _, e := range p.engines() {
		if _, err := e.(dataplane.Managed).AddJob(p.now, &j); err != nil {
			p.t.Fatal(err)
		}
	}
	p.compare("a job comes")
}

// remove takes a job from both.
func (p *pair) remove(id uint8) {
	p.t.Helper()
	for _, e := range p.engines() {
		if _, err := e.(dataplane.Managed).RemoveJob(p.now, id); err != nil {
			p.t.Fatal(err)
		}
	}
	p.compare("a job goes")
}

// A job that comes with a timeout of its own changes the period of the timer; no block of another one
// ages before its time, and the visits are told as such.
func TestTimeoutOfAJobThatComes(t *testing.T) {
	var seen events
	e, err := New(trioml.Config{Node: "pfe", Threads: 4, Trace: &seen, Jobs: []trioml.Job{waiting(1, 20*units.Millisecond)}}, Options{Memory: small()})
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	until := func(to units.Time) {
		for d := e.NextDeadline(); d <= to; d = e.NextDeadline() {
			e.Expire(d, &eff)
		}
	}
	until(31 * ms)
	e.Handle(31*ms, []sansio.Arrival{arrival(packet(wire.Header{Job: 1, Source: 0, SrcCnt: 1}, 1))}, &eff)
	until(38 * ms)
	if _, err := e.AddJob(38*ms, &trioml.Job{ID: 2, Sources: []uint8{1}, Timeout: 3 * units.Millisecond, Out: resultFlow(), To: []sansio.Port{9}, BlockMax: 64}); err != nil {
		t.Fatal(err)
	}
	until(200 * ms)
	aged := slices.IndexFunc(seen, func(ev trace.Event) bool { return ev.Kind == trace.BlockAged })
	if aged < 0 || seen[aged].At < 51*ms || seen[aged].At > 60*ms {
		t.Errorf("events %+v: want the block to age 20ms after 31ms, or a little later", seen)
	}
	if n := len(slices.DeleteFunc(slices.Clone(seen), func(ev trace.Event) bool { return ev.Kind != trace.Scanned })); n < 10 {
		t.Errorf("%d visits that left the block waiting, want about 20 of 1ms", n)
	}
}

// Timeouts that the records cannot tell apart are refused by name.
func TestTimeoutsRefused(t *testing.T) {
	for _, other := range []units.Duration{units.Millisecond / 2, 10*units.Millisecond + 1, 256 * units.Millisecond} {
		_, err := New(trioml.Config{Node: "pfe", Jobs: []trioml.Job{waiting(1, 0), waiting(2, other)}}, Options{Memory: small()})
		var refusal *dataplane.Refusal
		if !errors.As(err, &refusal) || refusal.Reason != trioml.RefusedTimeout {
			t.Errorf("10ms beside %v: %v", other, err)
		}
		if _, err := New(trioml.Config{Node: "pfe", Jobs: []trioml.Job{waiting(1, other), waiting(2, other)}}, Options{Memory: small()}); err != nil {
			t.Errorf("twice %v: %v", other, err)
		}
	}
	for _, timeout := range []units.Duration{-1, trioml.MaxTimeout + 1, 10 * units.Nanosecond} {
		if _, err := New(trioml.Config{Node: "pfe", Jobs: []trioml.Job{waiting(1, timeout)}}, Options{Memory: small()}); err == nil {
			t.Errorf("a timeout of %v is taken", timeout)
		}
	}
}
