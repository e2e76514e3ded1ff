package reference

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// "hierarchically composing several instances of our switch logic" (§7) in all the
// ways that the program is to bear: leaves of one host, hosts beside switches, a
// chain, three levels.
var trees = map[string]tree{
	"two racks":     {below: []tree{{hosts: 2}, {hosts: 2}}},
	"uneven racks":  {below: []tree{{hosts: 1}, {hosts: 3}, {hosts: 1}}},
	"hosts on root": {hosts: 1, below: []tree{{hosts: 2}}},
	"chain":         {below: []tree{{below: []tree{{hosts: 2}}}}},
	"three levels":  {below: []tree{{below: []tree{{hosts: 2}, {hosts: 1}}}, {below: []tree{{hosts: 1}, {hosts: 1}}}}},
}

func treeNames() []string {
	return []string{"two racks", "uneven racks", "hosts on root", "chain", "three levels"}
}

// Without loss each switch sends one packet up for each slot and phase, and takes
// one: the cost of a level does not grow with the workers below ("cost proportional
// to u instead of n", §7).
func TestOnePacketGoesUp(t *testing.T) {
	for _, name := range treeNames() {
		n := newNetwork(t, netParams{tree: trees[name], jobs: 1, slots: 2, phases: 3, perJob: 2})
		n.sendAll()
		n.drain(nil)
		for _, l := range n.links {
			if l.carried != n.slots*n.phases {
				t.Errorf("%s: %s carries %d frames, want one for each of %d slots in %d phases", name, l.name, l.carried, n.slots, n.phases)
			}
		}
		for _, h := range n.hosts {
			if h.phase[0] != n.phases || h.phase[1] != n.phases {
				t.Errorf("%s: worker %d is in phases %v", name, h.worker, h.phase)
			}
		}
		if len(n.wrong) > 0 {
			t.Errorf("%s: %v", name, n.wrong)
		}
	}
}

// Every frame of every link is lost once, and one retransmission of each worker
// mends it: "ensuring that the switch affected by the packet loss is always
// ultimately reached" (§7).
func TestEverySingleLossIsMended(t *testing.T) {
	for _, name := range treeNames() {
		p := netParams{tree: trees[name], jobs: 1, slots: 1, phases: 3, perJob: 2}
		for which := range newNetwork(t, p).links {
			for nth := range p.phases {
				n := newNetwork(t, p)
				lost := false
				n.sendAll()
				n.drain(func(l *link, i int) bool {
					if l != n.links[which] || i != nth || lost {
						return false
					}
					lost = true
					return true
				})
				if !lost {
					t.Fatalf("%s: %s carries no frame %d", name, n.links[which].name, nth)
				}
				n.sendAll() // timeouts
				n.drain(nil)
				for _, h := range n.hosts {
					if h.phase[0] != p.phases || len(n.wrong) > 0 {
						t.Fatalf("%s: frame %d of %s was lost: worker %d is in phase %d; wrong %v", name, nth, n.links[which].name, h.worker, h.phase[0], n.wrong)
					}
				}
			}
		}
	}
}

// Any order, duplicates and losses on every link of every tree, of two jobs that
// cross the same switches and links: sums are those of all workers of the job.
func TestAnyNetworkOfLevelsGivesSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNetwork(t, netParams{
			tree: trees[rapid.SampledFrom(treeNames()).Draw(t, "tree")], jobs: rapid.IntRange(1, 2).Draw(t, "jobs"), slots: 1,
			phases: rapid.IntRange(1, 6).Draw(t, "phases"), perJob: rapid.IntRange(1, 3).Draw(t, "phases of a tensor"), first: firstByte(t),
		})
		n.mustBeRight(t, fates{reorder: true, duplicate: true, lose: true})
	})
}

// While a worker at the root goes on, those of a leaf lack the result, and send again and again.
// Their packets are not late where they come first: the leaf has seen none of the next phase.
// When nothing is lost any more, all get to the end.
func TestALeafIsBehind(t *testing.T) {
	n := newNetwork(t, netParams{tree: trees["hosts on root"], jobs: 1, slots: 1, phases: 2, perJob: 1})
	for range 32 {
		n.sendAll()
		n.drain(func(l *link, _ int) bool { return strings.HasPrefix(l.name, "s1->h") })
	}
	if n.apart() != 1 || n.dropped(switchml.DropLate) != 0 {
		t.Errorf("workers are %d phases apart, %d packets are late", n.apart(), n.dropped(switchml.DropLate))
	}
	if !n.heal() || len(n.wrong) > 0 {
		t.Errorf("not all get to the end; wrong %v", n.wrong)
	}
}

// Levels stand on Algorithm 3 as printed, too, where links keep their order.
func TestFaithfulLevelsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNetwork(t, netParams{
			tree: trees[rapid.SampledFrom(treeNames()).Draw(t, "tree")], jobs: 1, slots: 2,
			phases: rapid.IntRange(1, 6).Draw(t, "phases"), perJob: 2, faithful: true,
		})
		n.mustBeRight(t, fates{duplicate: true, lose: true})
	})
}

// A result from the parent that cannot be of the job is a counted drop.
func TestBadResultsFromAbove(t *testing.T) {
	n := newNetwork(t, netParams{tree: trees["two racks"], jobs: 1, slots: 1, phases: 2, perJob: 2})
	var down *link
	for _, l := range n.links {
		if l.name == "s0->s1" {
			down = l
		}
	}
	n.sendAll()
	for len(down.frames) == 0 {
		for _, l := range n.links {
			if len(l.frames) > 0 && l != down {
				f := l.frames[0]
				l.frames = l.frames[1:]
				n.arrive(l, f)
			}
		}
	}
	good := down.frames[0]
	for reason, spoil := range map[string]func(b []byte){
		switchml.DropSlotRange: func(b []byte) { b[7] = 1 },
		string(wire.BadType):   func(b []byte) { b[0] = 0x21 },
		string(wire.BadSize):   func(b []byte) { b[0] = 0x15 },
	} {
		bad := frame{good.header, append([]byte(nil), good.body...), good.use, good.phase}
		spoil(bad.body)
		n.arrive(down, bad)
		if got := n.dropped(reason); got != 1 {
			t.Errorf("%s: %d", reason, got)
		}
	}
	if !n.heal() || len(n.wrong) > 0 {
		t.Errorf("wrong: %v", n.wrong)
	}
}

// The example of Appendix A over two racks: a loss on the way up to a leaf, one on
// the way up to the root, one on the way down to a leaf, one on the way down to a
// worker, and what mends each.
func TestTranscriptOfTwoRacks(t *testing.T) {
	n := newNetwork(t, netParams{tree: trees["two racks"], jobs: 1, slots: 1, phases: 2, perJob: 2})
	var w strings.Builder
	w.WriteString("Workers h0 h1 at switch s1, h2 h3 at s2, s0 above them; slot 0, chunk 1.\n")
	n.traced(transcript{&w})
	lose := map[string]bool{}
	run := func(what string, lost string, senders ...int) {
		fmt.Fprintf(&w, "\n%s\n", what)
		if lost != "" {
			lose[lost] = true
		}
		for _, h := range senders {
			n.send(n.hosts[h], 0)
		}
		n.tell(&w, lose)
	}
	for _, h := range n.hosts {
		h.phase[0] = 1 // the last of its phases: nobody goes on to another
	}
	run("h0 to h3 send; the packet of h1 is lost", "h1->s1", 0, 1, 2, 3)
	run("h0 times out", "", 0)
	run("h1 times out; the sum of s1 is lost", "s1->s0", 1)
	run("h2 times out: its leaf asks in vain", "", 2)
	run("h1 times out; the result to s2 is lost", "s0->s2", 1)
	run("h3 times out; the result to h2 is lost", "s2->h2", 3)
	run("h2 times out", "", 2)
	golden.Equal(t, "two-racks.txt", w.String())
	if len(n.wrong) > 0 {
		t.Error(n.wrong)
	}
}

// tell brings every frame to its end and writes what becomes of it; the next frame
// on a link that lose names is lost.
func (n *network) tell(w *strings.Builder, lose map[string]bool) {
	n.drain(func(l *link, _ int) bool {
		fmt.Fprintf(w, "  %s", l.name)
		switch {
		case lose[l.name]:
			delete(lose, l.name)
			w.WriteString(", lost\n")
			return true
		case l.host != nil && l.host.phase[0] < n.phases:
			w.WriteString(", which waited for it")
		case l.host != nil:
			w.WriteString(", which had it")
		}
		w.WriteString("\n")
		return false
	})
}

// transcript writes what switches do.
type transcript struct{ w *strings.Builder }

func (s transcript) Event(e *trace.Event) {
	switch {
	case e.Kind == trace.BlockSent && e.Note == "":
		fmt.Fprintf(s.w, "    %s is complete\n", e.Node)
	case e.Note != "":
		fmt.Fprintf(s.w, "    %s: %s\n", e.Node, e.Note)
	default:
		fmt.Fprintf(s.w, "    %s has %d\n", e.Node, e.Count)
	}
}
