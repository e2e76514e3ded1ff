package reference

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

// What could break the rule that a sum is that of the workers it names, as far as a switch decides it.
// Clipping that other values hide and packets that are for others have tests of their own.
func TestWhatCouldBreakSums(t *testing.T) {
	done := []step{
		{grad(0, 5), "", "2: 1.5 1 n1"},
		{grad(1, 5), "", "2: 1.5 11 n2"},
		{grad(2, 5), "111/10 e =6", "2: 1.5 111 n3"},
		{param(5), "0/0 a =99", ""},
	}
	for name, steps := range map[string][]step{
		"a copy after the aggregator was freed reserves it, until the parameters come again": {
			{grad(1, 5), "", "2: 1.5 10 n1"},
			{grad(0, 6), "1/10 rce =1", "2: 1.5 10 n1"},
			{param(5), "0/0 a =99", ""},
		},
		"or until a resend of its number": {
			{grad(1, 5), "", "2: 1.5 10 n1"},
			{grad(1, 5).resend(), "10/10 re =2", ""},
		},
		"copies of all make the sum once more": {
			{grad(1, 5), "", "2: 1.5 10 n1"},
			{grad(0, 5), "", "2: 1.5 11 n2"},
			{grad(2, 5), "111/10 e =6", "2: 1.5 111 n3"},
		},
		"after a partial sum, who is missing comes alone": {
			{grad(0, 7), "", "2: 1.7 1 n1"},
			{grad(1, 7).resend(), "11/10 re =3", ""},
			{grad(2, 7).resend(), "100/10 re =3", ""},
			{grad(1, 7).resend(), "10/10 re =2", ""},
		},
		"workers that name different aggregators free them by resends": {
			{grad(0, 7), "", "2: 1.7 1 n1"},
			{grad(1, 7).at(3), "", "2: 1.7 1 n1, 3: 1.7 10 n1"},
			{grad(2, 7), "", "2: 1.7 101 n2, 3: 1.7 10 n1"},
			{grad(0, 7).resend(), "101/10 re =4", "3: 1.7 10 n1"},
			{grad(1, 7).at(3).resend(), "10/10 re =2", ""},
		},
		"numbers in floats leave integers alone": {
			{grad(0, 7), "", "2: 1.7 1 n1"},
			{param(7).flags(wire.Overflow), "0/0 ao =99", "2: 1.7 1 n1"},
			{grad(1, 7).resend().flags(wire.Overflow), "10/10 ro =2", "2: 1.7 1 n1"},
			{grad(1, 7), "", "2: 1.7 11 n2"},
			{param(7).flags(wire.Overflow | wire.Resend), "0/0 rao =99", ""},
		},
		"late parameters free an aggregator of the same number, and no sum is wrong": {
			{grad(0, 7), "", "2: 1.7 1 n1"},
			{param(7), "0/0 a =99", ""},
			{grad(1, 7), "", "2: 1.7 10 n1"},
			{grad(2, 7), "", "2: 1.7 110 n2"},
			{grad(0, 7).resend(), "111/10 re =6", ""},
		},
		"the stall of §3.6: the first collide, the last reserves, resends mend it": {
			{grad(0, 9).job(2).fans(2, 2), "", "2: 2.9 1 n1"},
			{grad(0, 7), "1/10 rce =1", "2: 2.9 1 n1"},
			{grad(1, 7), "10/10 rce =2", "2: 2.9 1 n1"},
			{param(9).paramOf(2), "0/0 a =99", ""},
			{grad(2, 7), "", "2: 1.7 100 n1"},
			{grad(0, 7).resend(), "101/10 re =4", ""},
			{grad(1, 7).resend(), "10/10 re =2", ""},
			{grad(2, 7).resend(), "100/10 re =3", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			newBench(t, first(1, 3), first(2, 2)).run(append(slices.Clone(done), steps...))
		})
	}
}

// What a switch cannot know: a number that is used again before what a copy of its first use has
// left is swept away has the old value in its sum. So hosts sweep; by age, or by the number itself.
func TestNumbersUsedAgainNeedSweeps(t *testing.T) {
	for name, c := range map[string]struct {
		sweep func(b *bench)
		want  string
	}{
		"without":                   {func(*bench) {}, "111/10 e =1023"},
		"of another number, by age": {func(b *bench) { b.now = b.now.Add(atp.DefaultAge + 1); b.send(param(8)) }, "111/10 e =33"},
		"too early":                 {func(b *bench) { b.now = b.now.Add(atp.DefaultAge); b.send(param(8)) }, "111/10 e =1023"},
	} {
		b := newBench(t, first(1, 3))
		b.send(grad(0, 5).val(1000)) // a copy from before
		c.sweep(b)
		out := b.send(grad(0, 5).val(10), grad(1, 5).val(11), grad(2, 5).val(12))
		if out != c.want {
			t.Errorf("%s: %q goes on, want %q", name, out, c.want)
		}
	}
}

// disturb draws a packet that nobody should send: of no job, of another's worker, with fan-ins and indexes of nobody,
// or parameters that no server sent.
func disturb(t *rapid.T) pkt {
	w, seq, index := rapid.IntRange(0, 2).Draw(t, "sender"), rapid.Uint32Range(0, 9).Draw(t, "number"), rapid.Uint16Range(0, 5).Draw(t, "index")
	p := grad(w, seq).at(index).val(rapid.Int32().Draw(t, "value"))
	p.h.Flags = rapid.SampledFrom([]wire.Flags{0, wire.Resend, wire.EdgeSwitch, wire.Overflow, wire.ECN, wire.Collision | wire.Resend}).Draw(t, "flags")
	switch rapid.IntRange(0, 7).Draw(t, "fault") {
	case 0:
		return p.job(77)
	case 1:
		return p.by(elsewhere)
	case 2:
		return p.by(sansio.Port((w + 1) % 3))
	case 3:
		return p.fans(rapid.SampledFrom([]uint8{1, 2, 4, 32}).Draw(t, "fan-in"), 2)
	case 4:
		return p.at(4 + index)
	case 5:
		return p.to(serverAddr(9))
	case 6:
		return param(seq).at(index).by(sansio.Port(w))
	default:
		return param(seq).at(index).from(workerAddr(w))
	}
}

// Tenants notice nothing of packets that are refused: what goes on of their own is the same, and so are
// their aggregators, and their counters but for what was refused in their name.
func TestOthersAreUndisturbed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := atp.Config{Aggregators: 4, Age: units.Millisecond, Jobs: []atp.Job{first(1, 3), first(2, 3)}}
		alone, beside := newBenchOf(t, cfg), newBenchOf(t, cfg)
		for range rapid.IntRange(1, 60).Draw(t, "packets") {
			p := grad(rapid.IntRange(0, 2).Draw(t, "worker"), rapid.Uint32Range(1, 9).Draw(t, "number"))
			if rapid.IntRange(0, 3).Draw(t, "parameters") == 0 {
				p = param(p.h.Sequence)
			}
			if p = p.at(rapid.Uint16Range(0, 3).Draw(t, "index")); rapid.IntRange(0, 3).Draw(t, "sent again") == 0 {
				p = p.resend()
			}
			if after := units.Duration(rapid.IntRange(0, 3).Draw(t, "time")) * units.Millisecond / 2; after > 0 {
				alone.now = alone.now.Add(after)
				beside.now = alone.now
			}
			if rapid.Bool().Draw(t, "disturbed") {
				was := beside.state()
				bad := disturb(t)
				beside.send(bad)
				if got := beside.state(); got != was {
					t.Fatalf("%+v: aggregators are %q, were %q", bad, got, was)
				}
			}
			if got, want := beside.send(p), alone.send(p); got != want {
				t.Fatalf("%+v: %q goes on, want %q", p, got, want)
			}
		}
		refused := []atp.Counter{atp.Packets, atp.Marks, atp.NotHere, atp.BadFanIn, atp.BadIndex, atp.Forged, atp.Floats, atp.Collisions}
		for id := range uint8(2) {
			got, want := *beside.e.CountsOf(id + 1), *alone.e.CountsOf(id + 1)
			for c := range got {
				if got[c] != want[c] && !slices.Contains(refused, atp.Counter(c)) {
					t.Fatalf("job %d: %s is %d, want %d", id+1, atp.Counter(c), got[c], want[c])
				}
			}
		}
	})
}

// Every packet of a job is counted by what became of it.
func TestEveryPacketIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBenchOf(t, atp.Config{Aggregators: 4, Jobs: []atp.Job{first(1, 3), first(2, 3)}})
		for range rapid.IntRange(1, 60).Draw(t, "packets") {
			b.send(disturb(t), grad(rapid.IntRange(0, 2).Draw(t, "worker"), rapid.Uint32Range(1, 9).Draw(t, "number")).at(rapid.Uint16Range(0, 3).Draw(t, "index")))
		}
		n := func(c atp.Counter) int { return int(b.count(c.String())) }
		fates := []atp.Counter{atp.Collisions, atp.Resends, atp.Parameters, atp.Floats, atp.NotHere, atp.BadFanIn, atp.BadIndex, atp.Unlike, atp.Duplicate, atp.Forged}
		all := 0
		for _, c := range fates {
			all += n(c)
		}
		mergedAgain := n(atp.Resends) // may be among those aggregated
		if rest := n(atp.Packets) - all; rest > n(atp.Aggregated) || rest < n(atp.Aggregated)-mergedAgain {
			t.Fatalf("%d packets, of which %d have fates, and %d were aggregated", n(atp.Packets), all, n(atp.Aggregated))
		}
		if got, want := n(atp.Reserved)-n(atp.FreedByParameter)-n(atp.FreedByAge)-n(atp.FreedByResend)-n(atp.Forgotten), b.e.inUse; got != want {
			t.Fatalf("%d aggregators are in use by counters, %d in the table", got, want)
		}
	})
}

func BenchmarkEngine(b *testing.B) {
	const workers, frames = 8, 64
	jobs := []atp.Job{first(1, workers)}
	e, err := New(atp.Config{Aggregators: 1 << 10, Jobs: jobs})
	if err != nil {
		b.Fatal(err)
	}
	var trains []sansio.Arrival
	for w := range workers + 1 {
		var ps []pkt
		for f := range frames {
			p := grad(w, uint32(1+f)).fans(workers, 2)
			if w == workers {
				p = param(uint32(1 + f))
			}
			ps = append(ps, p.at(uint16(f)))
		}
		trains = append(trains, arrival(ps...))
	}
	var eff sansio.Effects
	for b.Loop() {
		for i := range trains {
			e.Handle(0, trains[i:i+1], &eff)
			eff.Reset()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*frames*(workers+1)), "ns/packet")
	if sansio.CountOf(e.Counters(), atp.Results.String()) != uint64(b.N*frames) {
		b.Error(fmt.Errorf("%v", e.Counters()))
	}
}

var _ dataplane.Viewed = (*Engine)(nil)
