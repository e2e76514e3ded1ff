package fidelity

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// clean is a run of 40 iterations of 150 ms that nothing speaks against.
func clean() Inputs {
	return Inputs{
		Nodes: []Node{
			{Name: "tor", Kind: "switch", LateP99: 90 * units.Microsecond, LateMax: units.Millisecond, BusyShare: 0.3, Packets: 1e6, Offload: "afpacket-v2+vnethdr"},
			{Name: "h0", Kind: "worker", LateP99: 80 * units.Microsecond, BusyShare: 0.1, Packets: 1e5, Offload: "udp-gso+gro"},
			{Name: "h1", Kind: "worker", LateP99: 85 * units.Microsecond, BusyShare: 0.1, Packets: 1e5, Offload: "udp-gso+gro"},
		},
		CPUBusy: 0.5, Wall: 6 * units.Second, Iteration: 150 * units.Millisecond, Iterations: 40,
	}
}

func TestCleanRunIsTrusted(t *testing.T) {
	want := result.Fidelity{
		Verdict: result.Trusted, Reasons: []string{}, TimerLateP99: int64(90 * units.Microsecond), CPUBusy: 0.5,
		Offload: []string{"switch: afpacket-v2+vnethdr", "worker: udp-gso+gro"},
		Nodes: []result.Late{
			{Node: "tor", Kind: "switch", P99: 90e6, Max: 1e9, BusyShare: 0.3},
			{Node: "h0", Kind: "worker", P99: 80e6, BusyShare: 0.1}, {Node: "h1", Kind: "worker", P99: 85e6, BusyShare: 0.1},
		},
	}
	if diff := cmp.Diff(want, Judge(clean())); diff != "" {
		t.Error(diff)
	}
}

func TestRules(t *testing.T) {
	const us = units.Microsecond
	for _, c := range []struct {
		name    string
		change  func(*Inputs)
		verdict string
		reasons []string
	}{
		{"lateness at 1% of the iteration", func(in *Inputs) { in.Nodes[1].LateP99 = 1500 * us }, result.Trusted, nil},
		{"lateness above it", func(in *Inputs) { in.Nodes[1].LateP99 = 1501 * us }, result.Busy,
			[]string{"h0: 1% of its timers fired 1.501ms late or more: trusted up to 1.5ms"}},
		{"lateness where processors slept", func(in *Inputs) { in.Nodes[1].LateP99, in.Asleep = 1501*us, "they slept" }, result.Busy,
			[]string{"h0: 1% of its timers fired 1.501ms late or more: trusted up to 1.5ms; they slept"}},
		{"lateness where the host took time", func(in *Inputs) { in.Nodes[1].LateP99, in.CPUStolen = 1501*us, 0.0051 }, result.Busy,
			[]string{"h0: 1% of its timers fired 1.501ms late or more: trusted up to 1.5ms; the host of this virtual machine took 0.51% of the processors' time away"}},
		{"lateness where it took little", func(in *Inputs) { in.Nodes[1].LateP99, in.CPUStolen = 1501*us, 0.005 }, result.Busy,
			[]string{"h0: 1% of its timers fired 1.501ms late or more: trusted up to 1.5ms"}},
		{"time taken alone", func(in *Inputs) { in.CPUStolen = 0.1 }, result.Trusted, nil},
		{"sleep alone", func(in *Inputs) { in.Asleep = "they slept" }, result.Trusted, nil},
		{"lateness of several", func(in *Inputs) {
			in.Nodes[0].LateP99, in.Nodes[1].LateP99, in.Nodes[2].LateP99 = 2000*us, 3000*us, 3000*us
		}, result.Busy,
			[]string{"h0: 1% of its timers fired 3ms late or more: trusted up to 1.5ms (and 2 more nodes)"}},
		{"often late by five times the limit", func(in *Inputs) { in.Nodes[2].LateP95, in.Nodes[2].LateP99 = 7500*us, 7500*us }, result.Busy,
			[]string{"h1: 1% of its timers fired 7.5ms late or more: trusted up to 1.5ms"}},
		{"often late by more", func(in *Inputs) { in.Nodes[2].LateP95, in.Nodes[2].LateP99 = 7501*us, 9000*us }, result.Invalid,
			[]string{
				"h1: 1% of its timers fired 9ms late or more: trusted up to 1.5ms",
				"h1: 5% of its timers fired 7.501ms late or more: invalid beyond 7.5ms",
			}},
		{"lateness of short iterations", func(in *Inputs) {
			in.Iteration, in.Nodes[0].LateP99, in.Nodes[0].LateMax = 10*units.Millisecond, 1000*us, 0
		}, result.Trusted, nil},
		{"lateness above a millisecond", func(in *Inputs) { in.Iteration, in.Nodes[0].LateP99 = 10*units.Millisecond, 1001*us }, result.Busy,
			[]string{"tor: 1% of its timers fired 1.001ms late or more: trusted up to 1ms"}},
		{"stall of half an iteration", func(in *Inputs) { in.Nodes[1].LateMax = 75 * units.Millisecond }, result.Trusted, nil},
		{"stall beyond", func(in *Inputs) {
			in.Nodes[1].LateMax, in.Nodes[2].LateMax = 80*units.Millisecond, 90*units.Millisecond
		}, result.Busy,
			[]string{"h1: stood still for 90ms: trusted up to 75ms, half an iteration (and 1 more node)"}},

		{"stall of an iteration", func(in *Inputs) { in.Nodes[1].LateMax = 150 * units.Millisecond }, result.Busy,
			[]string{"h0: stood still for 150ms: trusted up to 75ms, half an iteration"}},
		{"stall of more than an iteration", func(in *Inputs) {
			in.Nodes[0].Still, in.Nodes[1].LateMax, in.Nodes[2].Still = 3*units.Second, 151*units.Millisecond, 149*units.Millisecond
		}, result.Invalid,
			[]string{"tor: stood still for 3s: invalid beyond 150ms, an iteration (and 1 more node)"}},
		{"communication is part of an iteration", func(in *Inputs) { in.Round, in.Nodes[1].Still = 250*units.Millisecond, 250*units.Millisecond }, result.Busy,
			[]string{"h0: stood still for 250ms: trusted up to 75ms, half an iteration"}},
		{"stall of a benchmark", func(in *Inputs) {
			in.Benchmark, in.Iteration, in.Nodes[1].Still, in.Nodes[0].LateMax = true, 2*units.Millisecond, 100*units.Millisecond, 0
		}, result.Busy,
			[]string{"h0: stood still for 100ms: trusted up to 1ms, half an iteration"}},
		{"longer stall of a benchmark", func(in *Inputs) {
			in.Benchmark, in.Iteration, in.Nodes[1].Still, in.Nodes[0].LateMax = true, 2*units.Millisecond, 101*units.Millisecond, 0
		}, result.Invalid,
			[]string{"h0: stood still for 101ms: invalid beyond 100ms, an iteration"}},

		{"one drop", func(in *Inputs) { in.Nodes[0].UnaskedDrop = 1 }, result.Busy,
			[]string{"tor: lost 1 of 1000000 packets, and no link model did that (0.0001%): trusted at 0, invalid beyond 0.1%"}},
		{"drops at 0.1%", func(in *Inputs) { in.Nodes[1].UnaskedDrop = 100 }, result.Busy,
			[]string{"h0: lost 100 of 100000 packets, and no link model did that (0.1%): trusted at 0, invalid beyond 0.1%"}},
		{"drops above", func(in *Inputs) { in.Nodes[1].UnaskedDrop = 101 }, result.Invalid,
			[]string{"h0: lost 101 of 100000 packets, and no link model did that (0.101%): trusted at 0, invalid beyond 0.1%"}},
		{"drops of a node without packets", func(in *Inputs) { in.Nodes[1].Packets, in.Nodes[1].UnaskedDrop = 0, 7 }, result.Invalid,
			[]string{"h0: lost 7 of 7 packets, and no link model did that (100%): trusted at 0, invalid beyond 0.1%"}},
		{"ring drops", func(in *Inputs) { in.Nodes[0].RingDrops = 20 }, result.Busy,
			[]string{"tor: the kernel had no room for 20 of 1000000 packets (0.002%): trusted at 0, invalid beyond 0.1%"}},
		{"many ring drops", func(in *Inputs) { in.Nodes[0].RingDrops = 2000 }, result.Invalid,
			[]string{"tor: the kernel had no room for 2000 of 1000000 packets (0.2%): trusted at 0, invalid beyond 0.1%"}},

		{"processors at 85%", func(in *Inputs) { in.CPUBusy = 0.85 }, result.Trusted, nil},
		{"processors above", func(in *Inputs) { in.CPUBusy = 0.9 }, result.Busy, []string{"the processors were 90% busy: trusted up to 85%"}},
		{"processors at 97%", func(in *Inputs) { in.CPUBusy = 0.97 }, result.Busy, []string{"the processors were 97% busy: trusted up to 85%"}},
		{"processors full", func(in *Inputs) { in.CPUBusy = 0.98 }, result.Invalid, []string{"the processors were 98% busy: invalid beyond 97%"}},
		{"processors not known", func(in *Inputs) { in.CPUBusy = math.NaN() }, result.Busy, []string{"how busy the processors were is not known"}},
		{"busy thread", func(in *Inputs) { in.Nodes[0].BusyShare = 0.95 }, result.Busy, []string{"tor: its thread was 95% busy: trusted up to 90%"}},

		{"one overrun", func(in *Inputs) { in.Nodes[2].Overruns = 1 }, result.Busy,
			[]string{"h1: 1 of 40 gradients took longer than their nominal time (2.5%): trusted at 0, invalid beyond 5%"}},
		{"overruns at 5%", func(in *Inputs) { in.Nodes[2].Overruns = 2 }, result.Busy,
			[]string{"h1: 2 of 40 gradients took longer than their nominal time (5%): trusted at 0, invalid beyond 5%"}},
		{"overruns above", func(in *Inputs) { in.Nodes[2].Overruns = 3 }, result.Invalid,
			[]string{"h1: 3 of 40 gradients took longer than their nominal time (7.5%): trusted at 0, invalid beyond 5%"}},

		{"the worst wins", func(in *Inputs) { in.Nodes[2].Overruns, in.CPUBusy = 3, 0.9 }, result.Invalid, []string{
			"the processors were 90% busy: trusted up to 85%",
			"h1: 3 of 40 gradients took longer than their nominal time (7.5%): trusted at 0, invalid beyond 5%"}},
		{"no nodes", func(in *Inputs) { in.Nodes = nil }, result.Invalid, []string{"no evidence: 0 nodes reported on 40 iterations of 150ms in 6s"}},
		{"no time", func(in *Inputs) { in.Wall = 0 }, result.Invalid, []string{"no evidence: 3 nodes reported on 40 iterations of 150ms in 0s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := clean()
			c.change(&in)
			got := Judge(in)
			if got.Verdict != c.verdict || !slices.Equal(got.Reasons, c.reasons) {
				t.Errorf("got %s %q\nwant %s %q", got.Verdict, got.Reasons, c.verdict, c.reasons)
			}
		})
	}
}

func TestSums(t *testing.T) {
	in := clean()
	for i := range in.Nodes {
		in.Nodes[i].UnaskedDrop, in.Nodes[i].RingDrops, in.Nodes[i].Overruns = 1, 2, 3
	}
	in.Nodes[2].Offload = "udp-plain"
	got := Judge(in)
	if got.UnaskedDrops != 3 || got.RingDrops != 6 || got.ComputeOverruns != 9 {
		t.Errorf("sums %+v", got)
	}
	if want := []string{"switch: afpacket-v2+vnethdr", "worker: udp-gso+gro", "worker: udp-plain"}; !slices.Equal(got.Offload, want) {
		t.Errorf("paths %q, want %q", got.Offload, want)
	}
}

// A verdict has reasons exactly if it is not trusted, and worse evidence never
// makes a better verdict.
func TestWorseEvidenceIsNeverBetter(t *testing.T) {
	rank := []string{result.Trusted, result.Busy, result.Invalid}
	rapid.Check(t, func(t *rapid.T) {
		in := clean()
		for i := range in.Nodes {
			n := &in.Nodes[i]
			n.LateP99 = units.Duration(rapid.Int64Range(0, int64(10*units.Millisecond)).Draw(t, "late"))
			n.UnaskedDrop = rapid.Uint64Range(0, 300).Draw(t, "drops")
			n.Overruns = rapid.IntRange(0, 4).Draw(t, "overruns")
		}
		in.CPUBusy = rapid.Float64Range(0, 1).Draw(t, "busy")
		before := Judge(in)
		if (before.Verdict == result.Trusted) != (len(before.Reasons) == 0) {
			t.Fatalf("%s for %q", before.Verdict, before.Reasons)
		}
		i := rapid.IntRange(0, len(in.Nodes)-1).Draw(t, "node")
		in.Nodes[i].LateP99 += units.Duration(rapid.Int64Range(0, int64(10*units.Millisecond)).Draw(t, "later"))
		in.Nodes[i].UnaskedDrop += rapid.Uint64Range(0, 300).Draw(t, "more")
		after := Judge(in)
		if slices.Index(rank, after.Verdict) < slices.Index(rank, before.Verdict) {
			t.Fatalf("%s after %s: %s", after.Verdict, before.Verdict, strings.Join(after.Reasons, "; "))
		}
	})
}
