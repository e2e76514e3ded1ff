package reference

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

var _ dataplane.Managed = (*Program)(nil)

// document is [testJob] under another id.
func document(id, sources int, change ...func(*trioml.Job)) *trioml.Job {
	j := testJob(sources)
	j.ID = uint8(id)
	for _, f := range change {
		f(&j)
	}
	return &j
}

func (b *bench) mustAdd(d dataplane.Document) {
	b.t.Helper()
	if _, err := b.p.AddJob(b.now, d); err != nil {
		b.t.Fatal(err)
	}
}

func refusal(err error) dataplane.Reason {
	var r *dataplane.Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

// A job that is added is as one of the configuration; once removed its packets
// are those of an unknown job, and added again it remembers nothing.
func TestJobComesAndGoes(t *testing.T) {
	b := newBench(t, trioml.Config{})
	b.send(packet(wire.Header{Source: 0, Gen: 5}, 1))
	b.wantCounts(map[string]uint64{trioml.DropUnknownJob: 1})
	for round := range uint64(2) {
		b.mustAdd(document(1, 2))
		b.send(packet(wire.Header{Source: 0, Gen: 5}, 7), packet(wire.Header{Source: 0, Gen: 5, Block: 1}, 7))
		got := wantOne(t, b.send(packet(wire.Header{Source: 1, Gen: 5}, 8)))
		if got.grads[0] != 15 || got.h.SrcCnt != 2 || got.h.Source != 99 {
			t.Fatalf("round %d: %+v", round, got)
		}
		removed, err := b.p.RemoveJob(b.now, 1)
		if err != nil || removed.OpenBlocks != 1 {
			t.Fatalf("removed %+v, %v: want one open block", removed, err)
		}
		for _, c := range removed.Counters {
			if want := map[string]uint64{"packets": 3, "results": 1}[c.Name]; c.N != want {
				t.Errorf("round %d: %d %s went with the job, want %d", round, c.N, c.Name, want)
			}
		}
		b.wantCounts(map[string]uint64{trioml.CountRemoved: round + 1})
		if b.p.OpenBlocks() != 0 || b.p.NextDeadline() != units.Never || len(b.p.Ports()) != 0 {
			t.Errorf("%d records, deadline %v, ports %v are left", b.p.OpenBlocks(), b.p.NextDeadline(), b.p.Ports())
		}
	}
	b.send(packet(wire.Header{Source: 1, Gen: 5}, 8))
	b.wantCounts(map[string]uint64{trioml.DropUnknownJob: 2})
	if out := b.advance(b.now + 100*ms); len(out) != 0 {
		t.Errorf("a removed job sends %+v", out)
	}
}

func TestAddIsRefused(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	before := b.p.View(0, dataplane.ViewJobs, 1000)
	if _, err := b.p.AddJob(0, document(1, 3)); refusal(err) != dataplane.RefusedIDTaken || !strings.Contains(err.Error(), "job 1 on pfe") {
		t.Errorf("id taken: %v", err)
	}
	if _, err := b.p.AddJob(0, document(2, 0)); refusal(err) != dataplane.RefusedNoSources {
		t.Errorf("no sources: %v", err)
	}
	if _, err := b.p.RemoveJob(0, 2); refusal(err) != dataplane.RefusedUnknownJob {
		t.Errorf("unknown: %v", err)
	}
	if diff := cmp.Diff(before, b.p.View(0, dataplane.ViewJobs, 1000), cmp.AllowUnexported(dataplane.Value{})); diff != "" {
		t.Errorf("a refusal changed something (-before +after):\n%s", diff)
	}
	largest := func(j *trioml.Job) { j.BlockMax = trioml.MaxJobBlocks }
	var err error
	n := 2
	for ; err == nil && n <= dataplane.MaxJobID; n++ {
		_, err = b.p.AddJob(0, document(n, 2, largest))
	}
	var used units.Bytes
	for e := range b.p.table.All() {
		used += units.Bytes(e.BlockMax) * units.Bytes(4*e.GradMax)
	}
	if refusal(err) != dataplane.RefusedNoRoom || used > trioml.MaxBuffers {
		t.Fatalf("%d jobs with the largest caps take %v of %v: %v", n, used, trioml.MaxBuffers, err)
	}
	if _, err := b.p.RemoveJob(0, 2); err != nil {
		t.Fatal(err)
	}
	b.mustAdd(document(200, 2, largest)) // there is room again
}

// Jobs that come and go, with packets of their own, change nothing of another:
// not a result nor its instant, not an event, not a record.
func TestOtherJobsNoticeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := drawTraffic(t)
		age := rapid.SampledFrom([]trioml.AgePolicy{trioml.AgePerBlock, trioml.AgeAbsent}).Draw(t, "age")
		cfg := trioml.Config{Jobs: []trioml.Job{testJob(tr.sources)}, Threads: 7, Age: age}
		alone, crowded := newBench(t, cfg), newBench(t, cfg)
		for i := range tr.at {
			alone.advance(tr.at[i])
			crowded.advance(tr.at[i])
			disturb(t, crowded)
			alone.send(tr.payload[i])
			crowded.send(tr.payload[i])
			if diff := cmp.Diff(rowsOf(alone), rowsOf(crowded), cmp.AllowUnexported(dataplane.Value{})); diff != "" {
				t.Fatalf("records of job 1 after packet %d (-alone +crowded):\n%s", i, diff)
			}
		}
		alone.advance(alone.now + 50*ms)
		crowded.advance(crowded.now + 50*ms)
		same := func(a, b output) bool { return a.at == b.at && a.h == b.h && sameInts(a.grads, b.grads) }
		if !slices.EqualFunc(alone.out, ofJobOne(crowded.out), same) {
			t.Fatalf("results of job 1 differ:\nalone   %+v\ncrowded %+v", alone.out, crowded.out)
		}
		events := slices.DeleteFunc(crowded.events, func(e trace.Event) bool { return e.Job != 1 })
		if !slices.Equal(alone.events, events) {
			t.Fatal("events of job 1 differ")
		}
	})
}

// disturb adds a job, removes one, or sends packets for one.
func disturb(t *rapid.T, b *bench) {
	id := rapid.IntRange(2, 4).Draw(t, "job")
	switch rapid.IntRange(0, 3).Draw(t, "do") {
	case 0:
		if _, err := b.p.AddJob(b.now, document(id, 3)); err != nil && refusal(err) != dataplane.RefusedIDTaken {
			t.Fatal(err)
		}
	case 1:
		if _, err := b.p.RemoveJob(b.now, uint8(id)); err != nil && refusal(err) != dataplane.RefusedUnknownJob {
			t.Fatal(err)
		}
	default:
		h := wire.Header{Job: uint8(id), Block: rapid.Uint32Range(0, 3).Draw(t, "block"), Source: rapid.Uint8Range(0, 3).Draw(t, "source"), Gen: 9}
		b.send(packet(h, 1, 2))
	}
}

func ofJobOne(list []output) (out []output) {
	for _, o := range list {
		if o.h.Job == 1 {
			out = append(out, o)
		}
	}
	return out
}

// rowsOf returns what both views say of job 1.
func rowsOf(b *bench) (rows [][]dataplane.Value) {
	for _, v := range b.p.Views() {
		for _, row := range b.p.View(b.now, v, 1000).Rows {
			if row[0] == dataplane.Int(1) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Views say what is there, the oldest block first, and no more than was asked for.
func TestViews(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(3)}})
	b.send(packet(wire.Header{Source: 1, Block: 7}, 1, 2))
	b.now = 3 * us
	b.send(packet(wire.Header{Source: 0, Block: 2}, 1), packet(wire.Header{Source: 2, Block: 7}, 1, 2), packet(wire.Header{Source: 9}, 1))
	b.now = 5 * us
	table := b.p.View(b.now, dataplane.ViewBlocks, 1)
	want := []string{"1", "0", "7", "2", "3", "0", "2", "5", "true", "false"}
	if len(table.Rows) != 1 || table.Total != 2 || !slices.Equal(words(table.Rows[0]), want) {
		t.Errorf("blocks %v of %d, want %v of 2", table.Rows, table.Total, want)
	}
	table = b.p.View(b.now, dataplane.ViewJobs, 10)
	want = []string{"1", "3", "0-2", "99", "239.0.0.7", "4096", "2", "4095", "10000", "0", "3", "0", "0", "0", "1", "2"}
	if len(table.Rows) != 1 || !slices.Equal(words(table.Rows[0]), want) {
		t.Errorf("jobs %v, want %v", table.Rows, want)
	}
	if table := b.p.View(b.now, dataplane.ViewThreads, 10); len(table.Columns) != 0 {
		t.Errorf("threads of a program without any: %+v", table)
	}
}

func words(row []dataplane.Value) (out []string) {
	for _, v := range row {
		out = append(out, v.String())
	}
	return out
}
