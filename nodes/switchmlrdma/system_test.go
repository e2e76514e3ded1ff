package switchmlrdma_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	program "github.com/inalab/inalab/switchd/program/switchml"
)

// Without loss every worker sends each message once, and one with an exponent only
// for each queue pair in use; the sums are exact.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t, drawParams(t))
		r.run(t)
		r.check(t)
		want := r.messages()
		for w, c := range r.cores {
			if count(c, switchmlrdma.CountMessages) != want || count(c, switchmlrdma.CountCompletions) != want || count(c, switchmlrdma.CountCut) != 0 {
				t.Fatalf("worker %d: %v, want %d messages", w, c.Counters(), want)
			}
			if r.up[w].Frames != want*r.packets || r.down[w].Frames != want*r.packets {
				t.Fatalf("worker %d sent %d frames and was sent %d, want %d", w, r.up[w].Frames, r.down[w].Frames, want*r.packets)
			}
		}
	})
}

// Any packet may be lost on either way, as often as it likes.
func TestLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		rate := rapid.Float64Range(0, 0.1).Draw(t, "loss")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		sent := make([]int, p.n) // bytes behind the UDP header
		p.drop = func(w int, up bool, f sansio.Train) bool {
			if up {
				sent[w] += len(f.Body) + f.Unstored
			}
			return stream.Bernoulli(rate)
		}
		r := newRig(t, p)
		r.run(t)
		r.check(t)
		lost := 0
		for w := range r.n {
			lost += r.up[w].Lost + r.down[w].Lost
			// Each message that is sent again has as many packets and bytes as the others.
			frames, got := r.up[w].Frames, sansio.ResentOf(r.cores[w].Counters())
			first := r.messages() * r.packets
			if int(got.Packets) != frames-first || int(got.Bytes)*frames != sent[w]*(frames-first) {
				t.Fatalf("worker %d counts %+v sent again; on the wire were %d packets of %d bytes, %d for the first time", w, got, frames, sent[w], first)
			}
		}
		if again := r.total(switchmlrdma.CountRetransmits); lost > 0 && again == 0 || lost == 0 && again > 0 && r.delay == 0 {
			t.Fatalf("%d packets lost, %d messages sent again", lost, again)
		}
	})
}

// Results are right whatever the network loses, repeats and reorders: no packet of
// a queue pair is taken that is older than one that was.
func TestAnyNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		lost, twice := rapid.Float64Range(0, 0.05).Draw(t, "lost"), rapid.Float64Range(0, 0.2).Draw(t, "duplicated")
		late := rapid.Float64Range(0, 0.05).Draw(t, "late")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("fate")
		after := func() units.Duration {
			if !stream.Bernoulli(late) {
				return 0
			}
			return units.Duration(stream.IntN(int(5 * units.Millisecond)))
		}
		p.copies = func(int, bool, sansio.Train) []units.Duration {
			switch {
			case stream.Bernoulli(lost):
				return nil
			case stream.Bernoulli(twice):
				return []units.Duration{after(), after()}
			}
			return []units.Duration{after()}
		}
		r := newRig(t, p)
		r.run(t)
		r.check(t)
	})
}

// A lost packet costs its message, sixteen packets, and counts nothing twice
// (App B). Lost on the way up, nobody has the result, and every worker sends its
// message again; lost on the way down, only the worker that lacks it, if no other
// waits for its next.
func TestALossCostsAMessage(t *testing.T) {
	for _, lostUp := range []bool{true, false} {
		for at := range 16 {
			p := params{n: 3, tensor: 4 * 16 * elements, packets: 16, queues: 2, gens: 1, ints: true, delay: us}
			seen := 0
			p.drop = func(w int, up bool, _ sansio.Train) bool {
				if w != 1 || up != lostUp {
					return false
				}
				seen++
				return seen == 3*16+at+1 // of the last message
			}
			r := newRig(t, p)
			r.run(t)
			r.check(t)
			for w, c := range r.cores {
				want := 0
				if lostUp || w == 1 {
					want = 1
				}
				again := count(c, switchmlrdma.CountRetransmits)
				if again != want || r.up[w].Frames != 16*(r.blocks()+again) {
					t.Errorf("packet %d lost, up %v: worker %d sent %d messages again and %d packets in all, want %d and %d",
						at, lostUp, w, again, r.up[w].Frames, want, 16*(r.blocks()+want))
				}
			}
		}
	}
}

// Runs that carry unstored values in most blocks take the same time and packets.
func TestLengthsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.ints = false
		rate := rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "loss")
		run := func(every int) *rig {
			p.every = every
			losses := rng.Root(5).Stream("loss")
			p.drop = func(int, bool, sansio.Train) bool { return losses.Bernoulli(rate) }
			r := newRig(t, p)
			r.run(t)
			if n := r.wrong(t); n > 0 {
				t.Fatalf("every %d: %d blocks are wrong", every, n)
			}
			return r
		}
		full, part := run(1), run(rapid.IntRange(2, 6).Draw(t, "every"))
		if a, b := full.net.Now(), part.net.Now(); a != b {
			t.Fatalf("with all values the run ends at %v, with lengths at %v", a, b)
		}
		for w := range p.n {
			if a, b := full.up[w], part.up[w]; a.Frames != b.Frames || a.Bytes != b.Bytes || a.Lost != b.Lost {
				t.Fatalf("worker %d sends %d frames of %v with all values, %d of %v with lengths", w, a.Frames, a.Bytes, b.Frames, b.Bytes)
			}
		}
	})
}

// A retransmission may be answered packet by packet while another's completes slots
// further on. With PSNs that run on whatever is sent, the card takes the packets of
// a message in any order for those that come next, and reports it whole. Here worker
// 0 loses its second packet of four, and both send their message again:
//
//	at the switch     0: first   0: 2nd   1: first   0: 3rd   1: 2nd   0: last   1: 3rd, last
//	sent to worker 1             2nd      first      3rd      2nd      last      3rd, last
func TestAnswersInterleave(t *testing.T) {
	later := [2][4]units.Duration{{0, 0, 2 * us, 4 * us}, {0, 2 * us, 4 * us, 4 * us}}
	for faithful, want := range map[bool]int{true: 1, false: 0} {
		p := params{n: 2, tensor: 4 * elements, packets: 4, queues: 1, gens: 1, ints: true, faithful: faithful, delay: us}
		var sent [2]int
		p.copies = func(w int, up bool, _ sansio.Train) []units.Duration {
			if !up {
				return []units.Duration{0}
			}
			i := sent[w]
			sent[w]++
			switch {
			case w == 0 && i == 1:
				return nil
			case i/4 == 1:
				return []units.Duration{later[w][i%4]}
			}
			return []units.Duration{0}
		}
		r := newRig(t, p)
		r.run(t)
		if got := r.wrong(t); got != want {
			t.Errorf("faithful %v: %d blocks are wrong, want %d; switch %v", faithful, got, want, r.prog.Counters())
		}
		if held := count(r.prog, program.CountRDMAHeldBack); (held > 0) == faithful {
			t.Errorf("faithful %v: %d results held back", faithful, held)
		}
	}
}
