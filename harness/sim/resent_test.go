package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/newreno"
	"github.com/inalab/inalab/nodes/roce"
)

// offered returns the frames that hosts sent to their switch.
func offered(c result.Cell) (n uint64) {
	for _, l := range c.Links {
		if strings.HasPrefix(l.Name, "h") {
			n += l.Frames + l.Dropped()
		}
	}
	return n
}

// summed adds up a counter over all nodes.
func summed(c result.Cell, name string) (n uint64) {
	for _, x := range c.Counters {
		if x.Name == name {
			n += x.N
		}
	}
	return n
}

// whoCounts returns the nodes that have a counter, in the order of names.
func whoCounts(c result.Cell, name string) (nodes []string) {
	for _, x := range c.Counters {
		if x.Name == name {
			nodes = append(nodes, x.Node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// What a job sends again is what its hosts send more than where every frame arrives: each
// packet of SwitchML has the same size, and every 97th frame of each link is lost.
func TestResentIsWhatWasSentMore(t *testing.T) {
	im := images(t)
	lossy := func(every string) result.Cell {
		return run(t, jobs(t, "iterations=3", "stragglers.p=[0%]", "scale=1000", "hosts=3", "switchml.retransmit=true", "switchml.timeout=20ms", "link.loss-every="+every,
			"systems=[{system: switchml256, topology: rack}]")[0], im)
	}
	clean, c := lossy("0"), lossy("97")
	if clean.Resent != (result.Resent{}) {
		t.Errorf("%+v sent again where nothing is lost", clean.Resent)
	}
	more := offered(c) - offered(clean)
	if want := (result.Resent{Packets: more, Bytes: units.Bytes(more) * (wire.HeaderLen + 4*256)}); c.Resent != want || more == 0 {
		t.Errorf("%+v sent again, want %+v", c.Resent, want)
	}
	again := 0
	for _, s := range c.Samples {
		again += s.Retransmits
	}
	if uint64(again) != c.Resent.Packets {
		t.Errorf("%+v sent again, the samples tell of %d packets", c.Resent, again)
	}
}

// Streams count what they send again, of workers and of servers, and nothing where nothing
// is lost.
func TestResentOfStreams(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, tc := range []struct{ system, again, knob, who string }{
		{"ring", newreno.CountAgain, "ring.transport=tcp", "h0 h1 h2"},
		{"ring", roce.CountAgain, "ring.transport=roce", "h0 h1 h2"},
		{"ps", newreno.CountAgain, "ps.servers=dedicated", "h0 h1 h2 h3 h4 h5"},
	} {
		for _, every := range []string{"0", "23"} {
			j := jobs(t, "iterations=3", "stragglers.p=[0%]", "scale=200", "hosts=3", "link.loss-every="+every, tc.knob, "systems=[{system: "+tc.system+", topology: rack}]")[0]
			c := run(t, j, im)
			packets, bytes := summed(c, tc.again), summed(c, sansio.CountResentBytes)
			if c.Resent != (result.Resent{Packets: packets, Bytes: units.Bytes(bytes)}) || (packets > 0) != (every != "0") {
				t.Errorf("%s, every %sth frame lost: %+v sent again, %s %d, %s %d", tc.knob, every, c.Resent, tc.again, packets, sansio.CountResentBytes, bytes)
			}
			if got := strings.Join(whoCounts(c, tc.again), " "); every != "0" && got != tc.who {
				t.Errorf("%s: sent again by %s, want %s", tc.knob, got, tc.who)
			}
			if most := packets * uint64(j.Plan.MTU); bytes > most || bytes < packets {
				t.Errorf("%s, every %sth frame lost: %d packets of %d bytes in all", tc.knob, every, packets, bytes)
			}
		}
	}
}
