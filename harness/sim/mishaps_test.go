package sim_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/scenarios"
)

// mishapsFile has every system on one rack, each of whose links does all that does not lose frames.
const mishapsFile = `apiVersion: inalab/v1
kind: Scenario
name: mishaps
hosts: 3
iterations: 3
model: {size: 200MB, compute: 0s}
scale: 1000
link: {rate: 10Gbit/s, delay: 20us, jitter: 5us, distribution: pareto}
switchml: {retransmit: true}
systems: [{system: %s, if-possible: true}]
links: [{at: "h*", %s}]
`

// onRack returns the job of a system on such links.
func onRack(t *testing.T, name, links string) (*job.Set, error) {
	t.Helper()
	text := strings.Replace(strings.Replace(mishapsFile, "%s", name, 1), "%s", links, 1)
	s, err := scenarios.Load(scenarios.Source{Name: "mishaps", Text: []byte(text)}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	sets, err := s.Sets(true)
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	return sets[0], nil
}

// Every system has right sums where frames overtake, come twice and come at all times; and all of that happened.
func TestSystemsStandMishaps(t *testing.T) {
	sim.OneGoroutine(t)
	for _, name := range job.Names(system.All()) {
		t.Run(name, func(t *testing.T) {
			set, err := onRack(t, name, "reorder: 2%, duplicate: 2%")
			if err != nil || set == nil {
				t.Fatalf("no run: %v", err)
			}
			c := run(t, set.First(), images(t))
			if c.Wrong > 0 || c.Checked == 0 {
				t.Errorf("%d of %d values are wrong", c.Wrong, c.Checked)
			}
			var over, twice uint64
			for _, l := range c.Links {
				over, twice = over+l.Reordered, twice+l.Duplicated
			}
			if over == 0 || twice == 0 {
				t.Errorf("%d frames overtook, %d came twice: want some of each", over, twice)
			}
		})
	}
}

// labelled are the systems whose packets name a slot and that make good for losses, and one that a short job uses.
var labelled = map[string]string{"switchml256": "3", "switchml64": "3", "switchml32": "3", "switchml180": "3", "atp": "0", "xagg": "3"}

// A packet that is lost by its name is lost, once on each direction of a link, and sent again. A system whose packets
// name none, or that does not make good for it, is refused.
func TestScriptsLoseSinglePackets(t *testing.T) {
	sim.OneGoroutine(t)
	for _, name := range job.Names(system.All()) {
		t.Run(name, func(t *testing.T) {
			slot, ok := labelled[name]
			set, err := onRack(t, name, "drop: [{slot: "+cmp.Or(slot, "0")+", packets: [2]}]")
			if !ok {
				if set != nil {
					t.Errorf("it runs: want it refused (%v)", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			c := run(t, set.First(), images(t))
			if c.Wrong > 0 || c.Checked == 0 {
				t.Errorf("%d of %d values are wrong", c.Wrong, c.Checked)
			}
			lost := scriptLosses(c)
			if name != "atp" && lost == 0 || lost > uint64(len(c.Links)) { // the aggregators that ATP uses are by a hash
				t.Errorf("%d packets are lost on %d directions of links, want one at most on each", lost, len(c.Links))
			}
			if lost > 0 && c.Resent.Packets == 0 {
				t.Error("nothing is sent again")
			}
		})
	}
}

func scriptLosses(c result.Cell) (n uint64) {
	for _, l := range c.Links {
		n += l.DroppedBy(result.DropScript)
	}
	return n
}
