package live

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	atpwire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// atServers adds up a counter over the parameter servers of a job.
func atServers(c result.Cell, j *job.Job, name string) uint64 {
	return counted(c, name, func(node string) bool {
		return slices.ContainsFunc(j.ServerConfigs(), func(s job.ServerConfig) bool { return s.Name == node })
	})
}

// On real packets sums are right with aggregators and without, at one level, two and three. Where
// nothing is sent again, a server sees one packet of a fragment, or one of each worker.
func TestATPLive(t *testing.T) {
	heavy(t)
	racks := func(s *job.Spec) {
		link := topo.LinkSpec{Rate: sceneLink().Rate}
		p, err := planOf("multi-rack", gen.Params{Hosts: 9, Racks: 3, Link: link, Uplink: topo.LinkSpec{Rate: 4 * link.Rate}})
		if err != nil {
			t.Fatal(err)
		}
		s.Plan, s.On, s.ServersOn = p, []int{0, 1, 3, 6}, []int{8}
	}
	for name, tc := range map[string]struct {
		system atp.System
		change func(*job.Spec)
		each   int
	}{
		"rack": {atp.System{}, nil, 1}, "no aggregators": {atp.System{Aggregators: atp.None}, nil, 4}, "two levels": {atp.System{}, racks, 1},
		"three levels": {atp.System{Levels: atp.AllLevels}, racks, 1},
	} {
		t.Run(name, func(t *testing.T) {
			j := mustJob(t, scene{system: tc.system, topology: "rack", hosts: 4, change: tc.change})
			cell := mustRun(t, j, options(t))
			got := atServers(cell, j, "atp-server-packets")
			want := uint64(tc.each * j.Iterations * ((j.Params + atpwire.Values - 1) / atpwire.Values))
			if again := counted(cell, sansio.CountResentPackets, nil); got < want || again == 0 && got != want {
				t.Errorf("%d packets at the server, want %d; %d were sent again", got, want, again)
			}
		})
	}
}

// A server beside a worker has that one's packets in memory, in both clocks alike: of a fragment it sees one
// packet of the network, as a server on a host of its own does.
func TestATPColocatedLive(t *testing.T) {
	heavy(t)
	images, err := worker.LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	s := scene{system: atp.System{Colocated: true, ServerCount: 2, Timeout: 3 * units.Second}, topology: "rack", hosts: 3}
	liveCell, liveTensors := runRecorded(t, mustJob(t, s), options(t))
	virtual, virtualCell, virtualTensors := virtualRecorded(t, s, images)
	checkParity(t, virtual, virtualTensors, liveTensors, virtualCell, liveCell)
	fragments := uint64(virtual.Iterations * virtual.Naming().Blocks)
	for name, cell := range map[string]*result.Cell{"virtual": &virtualCell, "live": &liveCell} {
		for _, of := range []string{"atp-server-packets", "atp-server-added-local", "atp-server-added-whole"} {
			if got := counted(*cell, of, nil); got != fragments {
				t.Errorf("%s: %s is %d, want %d", name, of, got, fragments)
			}
		}
	}
}

// Live servers hand over their events as switches and workers do: what they added, and each answer.
func TestEventsOfLiveServers(t *testing.T) {
	heavy(t)
	opt := options(t)
	told := map[trace.Kind]int{}
	j := mustJob(t, scene{system: atp.System{Aggregators: atp.None}, topology: "rack", hosts: 4})
	opt.Events = func(logs []*trace.Log) {
		for e := range trace.Merged(logs) {
			if e.Node == j.ServerHosts()[0].Name {
				told[e.Kind]++
			}
			if e.At < 0 {
				t.Errorf("event from before the run: %+v", e)
			}
		}
	}
	mustRun(t, j, opt)
	blocks := j.Iterations * j.Naming().Blocks
	if told[trace.Stored] != 4*blocks || told[trace.Answered] < blocks {
		t.Errorf("events %v of %d blocks", told, blocks)
	}
}

// A live switch forgets what it remembers while the run goes on, and no sum is wrong.
func TestATPForgetsLive(t *testing.T) {
	heavy(t)
	s := scene{system: atp.System{}, topology: "rack", hosts: 4, iterations: 12, change: func(s *job.Spec) {
		for at := 100 * units.Millisecond; at < 400*units.Millisecond; at += 30 * units.Millisecond {
			s.Actions = append(s.Actions, job.Action{At: at, Verb: job.Forget, Node: "tor"})
		}
		s.Interval = 10 * units.Millisecond
	}}
	j := mustJob(t, s)
	cell := mustRun(t, j, options(t))
	if len(cell.Course) == 0 || !strings.HasPrefix(cell.Course[0], "forget tor at 100ms") {
		t.Errorf("%q", cell.Course)
	}
	if len(cell.Aggregations) != 2 || len(cell.Tallies) == 0 {
		t.Fatalf("series %+v, tallies %+v", cell.Aggregations, cell.Tallies)
	}
	for i, key := range []string{"in_switches", "at_servers"} {
		k := slices.IndexFunc(cell.Tallies, func(n result.Tally) bool { return n.Key == key })
		if sum := cell.Aggregations[i].Sum(); float64(sum) != cell.Tallies[k].Value {
			t.Errorf("%s: %d by time, and %v in all", key, sum, cell.Tallies[k].Value)
		}
	}
}
