package microcode

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// The records in memory are those of Fig 17 and 18: 58 bytes each, behind 6 of the
// program's own.
func TestRecordsPaperLayout(t *testing.T) {
	job := testJob(3, 2)
	job.Sources = []uint8{0, 64, 200}
	job.BlockMax, job.GradMax = 4096, 1024
	memory := small()
	memory.Records = 1 + job.BlockMax
	e, err := New(trioml.Config{Node: "pfe", Jobs: []trioml.Job{job}}, Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	e.Handle(5*ms, []sansio.Arrival{arrival(packet(wire.Header{Job: 3, Block: 0x01020304, Source: 64, SrcCnt: 6, Gen: 0x0506}, 1, 2, 3))}, &eff)
	read := func(k uint64) []byte {
		a, ok := e.Memory().Hash().Peek(k)
		b := make([]byte, recordBytes)
		if f := e.Memory().Read(a, b); !ok || f != mem.NoFault {
			t.Fatalf("record %x: %v", k, f)
		}
		return b[6:]
	}
	j := read(key(3, JobBlock))
	want := []byte{
		0, 1, // block_curr_cnt
		0xff, 0xf4, 0x00, 10, // block_cnt_max less 1, block_grad_max, block_exp
		0, 0, 0, 0, // block_total_cnt
		10, 0, 0, 1, 239, 0, 0, 7, // out_src_addr, out_dst_addr
	}
	if !bytes.Equal(j[:len(want)], want) || !bytes.Equal(j[22:34], []byte{0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1}) {
		t.Errorf("job record %x", j)
	}
	b := read(key(3, 0x01020304))
	start := []byte{10, 0, 0, 0, 0, 0, 0, 0x4c, 0x4b, 0x40} // block_exp, block_age, block_start_time
	if !bytes.Equal(b[:10], start) || !bytes.Equal(b[20:22], []byte{0, 3}) || b[25] != 1 || !bytes.Equal(b[34:42], []byte{0, 0, 0, 0, 0, 0, 0, 1}) {
		t.Errorf("block record %x", b)
	}
	r, ok := e.Block(3, 0x01020304)
	if !ok || r.Gen != 0x0506 || r.Workers != 6 || r.StartTime != 5*ms || !bytes.Equal(e.Sums(r), []byte{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}) {
		t.Errorf("block %+v with %x", r, e.Sums(r))
	}
	if got := DecodeJobRecord(append(make([]byte, 6), j...)); got.BlockCntMax != 4096 || got.BlockGradMax != 1024 {
		t.Errorf("job record %+v", got)
	}
}

// loner is the Microcode program alone: in what order a timer thread meets
// blocks, and so which of them go at once, is its own.
type loner struct {
	e   *Engine
	eff sansio.Effects
}

func (l *loner) send(now units.Time, source uint8, blocks ...uint32) []wire.Header {
	for _, b := range blocks {
		h := wire.Header{Job: 1, Block: b, Source: source, SrcCnt: 1}
		l.e.Handle(now, []sansio.Arrival{arrival(packet(h, 1))}, &l.eff)
	}
	return l.results()
}

func (l *loner) until(to units.Time) []wire.Header {
	for d := l.e.NextDeadline(); d <= to; d = l.e.NextDeadline() {
		l.e.Expire(d, &l.eff)
	}
	return l.results()
}

func (l *loner) results() (out []wire.Header) {
	for _, s := range l.eff.Sends {
		for f := range s.Train.Frames() {
			h, _ := wire.Parse(s.Train.Payload(f))
			out = append(out, h)
		}
	}
	l.eff.Reset()
	return out
}

// When a block ages out, those who are missing from it are absent. Blocks that wait
// for nobody else go with their next packet or the next visit of a timer thread,
// referenced or not; a source that is heard from is waited for again.
func TestAbsentAfterFirst(t *testing.T) {
	e, err := New(trioml.Config{Node: "pfe", Age: trioml.AgeAbsent, Threads: 1, Jobs: []trioml.Job{testJob(1, 3)}}, Options{Memory: small()})
	if err != nil {
		t.Fatal(err)
	}
	l := &loner{e: e}
	l.send(0, 0, 0)
	l.until(15 * ms)
	l.send(15*ms, 0, 1, 2)
	l.send(15*ms, 1, 2)
	if got := e.Absent(1); got != (trace.Mask{}) || len(l.until(19*ms)) != 0 {
		t.Fatalf("%v are absent before a block has aged", got)
	}
	first := l.until(20 * ms)
	if got := e.Absent(1); got != (trace.Mask{0b110}) || len(first) == 0 {
		t.Fatalf("%v are absent after %+v, want 1 and 2", got, first)
	}
	if all := append(first, l.until(30*ms)...); len(all) != 3 {
		t.Errorf("results %+v, want those of 3 blocks by the next visit", all)
	}
	if got := l.send(31*ms, 0, 5); len(got) != 1 || !got[0].Degraded || got[0].AgeOp != wire.AgeNone {
		t.Errorf("a block without absent sources is %+v, want degraded and not aged", got)
	}
	l.send(31*ms, 1, 6)
	if got := e.Absent(1); got != (trace.Mask{0b100}) {
		t.Errorf("%v are absent, want 2: 1 was heard", got)
	}
	if len(l.send(31*ms, 0, 6)) != 1 {
		t.Error("a block waits for an absent source")
	}
	l.send(31*ms, 2, 7)
	if e.Remembers() {
		t.Error("all sources were heard, and one is absent")
	}
}

// Two levels: the first PFE's results are a source of the second, whose src_cnt
// counts workers, and degraded comes through.
func TestHierarchy(t *testing.T) {
	leaf := testJob(1, 2)
	leaf.OutSource = 10
	top := testJob(1, 0)
	top.Sources = []uint8{10, 11}
	first := newPair(t, compiled(t), trioml.Config{Node: "leaf", Threads: 1, Jobs: []trioml.Job{leaf}})
	second := newPair(t, compiled(t), trioml.Config{Node: "top", Threads: 1, Jobs: []trioml.Job{top}})
	var up sansio.Effects
	for s := range uint8(2) {
		first.mc.Handle(0, []sansio.Arrival{arrival(packet(wire.Header{Job: 1, Source: s, SrcCnt: 1, Final: true}, 1, 2))}, &up)
	}
	first.mc.Handle(0, []sansio.Arrival{arrival(packet(wire.Header{Job: 1, Block: 1, Source: 0, SrcCnt: 1}, 5))}, &up)
	for d := first.mc.NextDeadline(); d != units.Never; d = first.mc.NextDeadline() {
		first.mc.Expire(d, &up)
	}
	for _, s := range up.Sends {
		second.handle(s.Train.Body)
	}
	for block := range uint32(2) {
		second.handle(packet(wire.Header{Job: 1, Block: block, Source: 11, SrcCnt: 2}, make([]int32, 2-block)...))
	}
	counts := shared(second.mc)
	if !bytes.Contains([]byte(counts), []byte("trioml-results 2\n")) || !bytes.Contains([]byte(counts), []byte("trioml-results-degraded 1\n")) {
		t.Errorf("the second level counts\n%s", counts)
	}
}

// A packet of unstored values is aggregated as one with zeros, and its result carries
// unstored values again.
func TestHollowPackets(t *testing.T) {
	p := newPair(t, compiled(t), trioml.Config{Node: "pfe", Jobs: []trioml.Job{testJob(1, 2)}})
	for s := range uint8(2) {
		b := make([]byte, wire.HeaderLen)
		wire.Header{Job: 1, Source: s, SrcCnt: 1, Grads: 1000}.Put(b)
		a := arrival(b)
		a.Train.Unstored = 4000
		for i, e := range p.engines() {
			e.Handle(0, []sansio.Arrival{a}, &p.effs[i])
		}
		p.compare("unstored bytes")
	}
}

// Jobs come and go. What is left of one is nowhere to be found: neither its blocks
// nor what it remembered of done ones.
func TestJobsComeAndGo(t *testing.T) {
	e, err := New(trioml.Config{Node: "pfe"}, Options{Memory: small()})
	if err != nil {
		t.Fatal(err)
	}
	doc := testJob(1, 2)
	doc.To = []sansio.Port{2}
	var eff sansio.Effects
	send := func(source uint8, block uint32) (results int) {
		before := len(eff.Sends)
		e.Handle(0, []sansio.Arrival{arrival(packet(wire.Header{Job: 1, Block: block, Source: source, SrcCnt: 1}, 1, 2))}, &eff)
		return len(eff.Sends) - before
	}
	for round := range 3 {
		if id, err := e.AddJob(0, &doc); id != 1 || err != nil {
			t.Fatalf("round %d: job %d: %v", round, id, err)
		}
		var refusal *dataplane.Refusal
		if _, err := e.AddJob(0, &doc); !errors.As(err, &refusal) || refusal.Reason != dataplane.RefusedIDTaken {
			t.Fatalf("a job is taken twice: %v", err)
		}
		if !slices.Equal(e.Ports(), []sansio.Port{2}) {
			t.Errorf("ports %v", e.Ports())
		}
		send(0, 0)
		if send(1, 0) != 1 || send(0, 1) != 0 {
			t.Errorf("round %d: the first block has no result, or the second has one", round)
		}
		gone, err := e.RemoveJob(0, 1)
		if err != nil || gone.OpenBlocks != 1 || !slices.Contains(gone.Counters, sansio.Count{Name: "packets", N: 3}) || !slices.Contains(gone.Counters, sansio.Count{Name: "dropped"}) {
			t.Errorf("round %d: removed %+v: %v", round, gone, err)
		}
		if send(0, 2); e.Memory().Hash().Len() != 0 || e.NextDeadline() != units.Never || len(e.Ports()) != 0 {
			t.Errorf("round %d: %d records are left", round, e.Memory().Hash().Len())
		}
		for block := range e.Memory().Hash().Cap() {
			if v, _ := e.Memory().Load(e.addr.buffers + mem.Addr(block*bufferWords)); v != 0 {
				t.Errorf("round %d: the buffer of record %d has %#x", round, block, v)
			}
		}
	}
	if _, err := e.RemoveJob(0, 1); err == nil {
		t.Error("a job is removed twice")
	}
}

// events is a sink.
type events []trace.Event

func (s *events) Event(e *trace.Event) { *s = append(*s, *e) }

// byBlock returns the events of each block as they came, block by block: in what
// order a timer thread visits blocks is each program's own. That the last packet of
// a block did not make it whole the thread of the Microcode knows when it sends it.
func (s events) byBlock() events {
	out := slices.Clone(s)
	for i := range out {
		out[i].Degraded = out[i].Degraded && out[i].Kind != trace.Contribution
	}
	slices.SortStableFunc(out, func(a, b trace.Event) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Block, b.Block))
	})
	return out
}

// The events are those of the reference program, with the visits of timer threads
// that find a block referenced.
func TestEventsAreTheReferences(t *testing.T) {
	var seen [2]events
	cfg := trioml.Config{Node: "pfe", Threads: 1, Jobs: []trioml.Job{testJob(1, 2)}}
	cfg.Trace = &seen[0]
	ref, err := reference.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Trace = &seen[1]
	mc, err := New(cfg, Options{Memory: small()})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []dataplane.Engine{ref, mc} {
		var eff sansio.Effects
		for _, p := range []wire.Header{{Source: 0}, {Source: 0}, {Source: 1}, {Source: 1}, {Block: 1, Source: 1}, {Block: 2, Source: 7}} {
			p.Job, p.SrcCnt = 1, 1
			e.Handle(ms, []sansio.Arrival{arrival(packet(p, 1))}, &eff)
		}
		for d := e.NextDeadline(); d != units.Never; d = e.NextDeadline() {
			e.Expire(d, &eff)
		}
	}
	if !slices.ContainsFunc(seen[0], func(e trace.Event) bool { return e.Kind == trace.Scanned }) || !slices.Equal(seen[0], seen[1]) {
		t.Errorf("events\n%+v\nwant\n%+v", seen[1], seen[0])
	}
}

// What cannot be loaded is refused with the reason.
func TestRefused(t *testing.T) {
	job := testJob(1, 2)
	job.BlockMax = 1 << 17
	if _, err := New(trioml.Config{Jobs: []trioml.Job{job}}, Options{Memory: small()}); err == nil {
		t.Error("a cap that the record has no room for is taken")
	}
	if _, err := New(trioml.Config{Late: "never"}, Options{Memory: small()}); err == nil {
		t.Error("an unknown policy is taken")
	}
	if _, err := New(trioml.Config{}, Options{Memory: mem.Config{DRAM: 3 * units.GiB, Records: 1 << 17}}); err == nil {
		t.Error("more records than buffers are taken")
	}
	if _, err := New(trioml.Config{}, Options{Memory: mem.Config{DRAM: units.GiB}}); err == nil {
		t.Error("a memory without room for the buffers is taken")
	}
	if _, err := New(trioml.Config{}, Options{Memory: mem.Config{Resident: units.GiB}}); err == nil {
		t.Error("less memory of the host than blocks may come to use is taken")
	}
}
