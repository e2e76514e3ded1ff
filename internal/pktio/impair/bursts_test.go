package impair

import (
	"math"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/topo"
)

// What a link loses in bursts is, within the 99% interval, what the chain of Gilbert and
// Elliott loses: the share of frames, how often a burst begins, and how long bad spells are.
func TestBurstsAreThoseOfTheChain(t *testing.T) {
	mean, err := topo.MeanBursts(0.01, 8)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]topo.Bursts{
		"1% in bursts of 8":         mean,
		"every frame of a spell":    {Enter: 0.02, Leave: 0.3, Bad: 1},
		"Elliott: some of each":     {Enter: 0.01, Leave: 0.1, Good: 0.001, Bad: 0.6},
		"spells of one, and no gap": {Enter: 0.5, Leave: 1, Bad: 1},
	} {
		t.Run(name, func(t *testing.T) {
			const frames = 400_000
			link := newBench(t, Config{Params: Params{Bursts: b}, BurstStream: rng.Root(7).Stream("bursts")})
			for first := 0; first < frames; first += 50 {
				link.at(0, train(first, 50, 20))
			}
			lost := link.lost(frames)
			if got := link.count(DropBurst); got != uint64(len(lost)) {
				t.Errorf("%d frames are counted as lost, %d are missing", got, len(lost))
			}
			checkMean(t, "share of frames", float64(len(lost))/frames, b.Mean(), b.Deviation()/math.Sqrt(frames))
			if b.Bad < 1 || b.Good > 0 {
				return // a run of losses is no spell then
			}
			bursts := 0
			for i, id := range lost {
				if i == 0 || lost[i-1] != id-1 {
					bursts++
				}
			}
			n := float64(bursts)
			length := float64(len(lost)) / n
			checkMean(t, "length of bursts", length, 1/b.Leave, math.Sqrt(1-b.Leave)/b.Leave/math.Sqrt(n)+1/n)
		})
	}
}

// checkMean fails where a mean is outside its 99% interval.
func checkMean(t *testing.T, what string, got, want, standardError float64) {
	t.Helper()
	if math.Abs(got-want) > 2.576*standardError {
		t.Errorf("%s %.5f, want %.5f within %.5f", what, got, want, 2.576*standardError)
	}
}

// Bursts and single losses draw from streams of their own: one does not shift the other.
func TestBurstsShiftNoOtherLosses(t *testing.T) {
	const frames = 2000
	loss, _ := streams(1)
	alone := newBench(t, Config{Params: Params{Loss: 0.05}, LossStream: loss})
	loss, _ = streams(1)
	both := newBench(t, Config{
		Params:     Params{Loss: 0.05, Bursts: topo.Bursts{Enter: 0.01, Leave: 0.2, Bad: 1}},
		LossStream: loss, BurstStream: rng.Root(1).Stream("bursts"),
	})
	for first := 0; first < frames; first += 40 {
		alone.at(0, train(first, 40, 20))
		both.at(0, train(first, 40, 20))
	}
	missing := map[int]bool{}
	for _, id := range both.lost(frames) {
		missing[id] = true
	}
	for _, id := range alone.lost(frames) {
		if !missing[id] {
			t.Fatalf("frame %d is lost alone, and not where bursts are lost as well", id)
		}
	}
	if n := both.count(DropBernoulli); n != alone.count(DropBernoulli) {
		t.Errorf("%d single losses beside bursts, %d alone", n, alone.count(DropBernoulli))
	}
}
