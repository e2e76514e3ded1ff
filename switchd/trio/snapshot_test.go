package trio

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// A quantile is a value of the list, low by an eighth at most.
func TestLatencyQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int64Range(0, 1<<50), 1, 50).Draw(t, "spans")
		var l Latency
		var sum units.Duration
		for _, d := range list {
			l.add(units.Duration(d))
			sum += units.Duration(d)
		}
		slices.Sort(list)
		if l.Mean() != sum/units.Duration(len(list)) || int64(l.Min) != list[0] || int64(l.Max) != list[len(list)-1] {
			t.Errorf("mean %v, min %v, max %v of %v", l.Mean(), l.Min, l.Max, list)
		}
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		at := max(0, int(math.Ceil(q*float64(len(list))))-1)
		got, want := int64(l.Quantile(q)), list[at]
		if got > want || got < want-want/8 {
			t.Errorf("quantile %v is %d, want %d or up to an eighth less", q, got, want)
		}
	})
}

func TestBucketsAreInOrder(t *testing.T) {
	for b := 1; b < latencyBuckets-3*latencyParts; b++ {
		start := bucketStart(b)
		if bucketOf(start) != b || bucketOf(start-1) != b-1 {
			t.Fatalf("bucket %d starts at %d, which is in bucket %d; one less in %d", b, start, bucketOf(start), bucketOf(start-1))
		}
	}
}

func TestSnapshotTellsWhatHappened(t *testing.T) {
	r := &record{}
	b := newBench(t, Config{Node: "mx480/pfe1", Program: compile(t, "ways", ways), Timing: timed(), Observer: r})
	b.handle(train(1, payload(0, 0, 0, 500)), train(2, payload(1, 0, 0, 500)), train(3, payload(4, 1, 0, 500))).idle()
	s := b.p.Snapshot()
	work := map[string]uint64{}
	for _, w := range s.Work {
		work[w.Fate] = w.Inside.N
	}
	if diff := cmp.Diff(map[string]uint64{"forwarded": 2, "dropped": 1}, work); diff != "" {
		t.Errorf("work (-want +got):\n%s", diff)
	}
	xtxns := map[string]uint64{}
	for _, x := range s.XTXNs {
		xtxns[x.Name] = x.N
	}
	want := map[string]uint64{"CounterIncPhys": 4, "Forward": 3, "Drop": 1, "PacketCreate": 1, "TailRead": 1, "TailWrite": 1}
	if diff := cmp.Diff(want, xtxns); diff != "" {
		t.Errorf("XTXNs (-want +got):\n%s", diff)
	}
	if s.Sent.N != 2 || s.Created.N != 1 || s.InUse.Max != 3 || s.Memory.Requests.Requests != 4 || s.PPEsBusy[0] != DefaultPPEs {
		t.Errorf("snapshot %+v", s)
	}
	if r.sends != 3 || !slices.Equal(r.drops, []string{"ways-asked"}) || len(r.ends) != 3 {
		t.Errorf("the observer was told of %d sends, drops %v, ends %v", r.sends, r.drops, r.ends)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

func TestUnnamedReasonsAreCounted(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "drops", `packet entry start;
start: begin Drop(pkt->body.count); exit; end`), Counters: "mine"})
	for i := range 300 {
		b.handle(train(1, payload(0, 0, uint16(i), 0)))
	}
	b.wantCount("mine-drop-0", 1)
	b.wantCount("mine-drop-255", 1)
	b.wantCount(DropUnnamed, 300-maxReasons)
}

// The control plane sets up records and next hops while the PFE runs.
func TestControlPlane(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "lookup", `
struct entry_t { hop : 32; : 32; };
register hash_reply_t found;
lmem entry_t entry;
packet entry start;
start: begin found = HashLookup(pair(9, pkt->body.arg)); end
begin if (!found.hit) goto none; MemRead(found.paddr, &entry, 8); end
begin Forward(entry.hop); exit; end
none: begin Drop(5); exit; end`)})
		m := b.p.Memory()
		record, created, ok := m.Hash().Insert(9<<32 | 77)
		if !created || !ok || m.Store(record, 6<<32) != mem.NoFault {
			t.Fatal("no record")
		}
		in := train(1, payload(0, 77, 0, 0))
		b.handle(in, train(1, payload(0, 78, 0, 0))).idle()
		if err := b.p.SetNextHop(NextHop{Index: 6, To: []sansio.Port{12}}); err != nil {
			t.Fatal(err)
		}
		got := b.handle(in).idle().take()
		b.p.RemoveNextHop(6)
		b.handle(in).idle()
		if len(got) != 1 || got[0].port != 12 {
			t.Errorf("sent %v, want one by port 12", frames(got))
		}
		b.wantCount("lookup-drop-5", 1)
		b.wantCount(DropNextHop, 2)
		if want := []sansio.Port{1, 2, 3}; !slices.Equal(b.p.Ports(), want) {
			t.Errorf("ports %v, want %v", b.p.Ports(), want)
		}
	})
}

// Requests that are issued asynchronously are waited for by XtxnWait alone.
func TestAsyncAndWait(t *testing.T) {
	ends := func(body string) units.Duration {
		b := newBench(t, Config{
			Program: compile(t, "async", "dram D[8]; lmem u8 chunk[64]; packet entry start; start: "+body+" begin exit; end"),
			Timing:  timed(func(t *Timing) { t.Dispatch = 0 }),
		})
		b.handle(train(1, payload(0, 0, 0, 0))).at(us)
		return b.p.Snapshot().Work[0].Inside.Max
	}
	// A request of 8 bytes to DRAM takes the latency.
	step, dram := instruction, mem.DRAMLatency
	for body, want := range map[string]units.Duration{
		`begin MemWrite(D, chunk, 8); end`:                                                                    2*step + dram,
		`begin async MemWrite(D, chunk, 8); end`:                                                              2 * step,
		`begin async MemWrite(D, chunk, 8); end begin XtxnWait(); end`:                                        2*step + dram,
		`begin async MemWrite(D, chunk, 8); end begin async MemWrite(D, chunk, 8); end begin XtxnWait(); end`: 3*step + dram,
		`begin TailRead(0, chunk, 64); end`:                                                                   2*step + TailLatency + Cycle,
		`begin Forward(1); end`:                                                                               2*step + CrossbarLatency,
	} {
		if got := ends(body); got != want {
			t.Errorf("%s: the thread took %v, want %v", body, got, want)
		}
	}
}
