package virtual

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// atpLevels is ATP with more than two levels (appendix A.2), where the paper has no measurement: frames are held to
// what arithmetic says.
func atpLevels() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.a2", Title: "frames of a fragment where switches of two levels aggregate, of all, of the first alone, and none",
		Switch: []claims.Switch{claims.SwitchPipelineTimed, claims.SwitchReference},
		Claims: []claims.ID{"atp.a2.levels"},
		Quick:  "a tensor of 1 MiB in place of 8",
		Run:    runATPLevels,
	}
}

// cluster is workers and a server at switches of several tiers.
type cluster struct {
	name     string
	topology string
	params   gen.Params
	on       []int
	server   int

	// ups are the gradient packets of a fragment on links between switches, by who aggregates, each term those
	// of a link or of links alike; parameters are the parameter packets on such links: each has one to the way
	// of some worker. at are the packets at the server.
	ups        [4][]int
	at         [4]int
	parameters int
}

// aggregating is who aggregates, in the order of a cluster's terms.
var aggregating = [4]struct {
	name   string
	deep   bool // more levels than the pipeline has
	change func(*atp.System)
}{
	{"all levels", true, func(s *atp.System) { s.Levels = atp.AllLevels }},
	{"two levels", false, func(*atp.System) {}},
	{"racks alone", false, func(s *atp.System) { s.Levels = atp.RackLevel }},
	{"nobody", false, func(s *atp.System) { s.Aggregators = atp.None }},
}

// clusters are racks of unequal size, and a tree whose switches of each tier aggregate what differs.
func clusters() []cluster {
	return []cluster{
		{
			// 4, 3 and 1 workers of three racks go by the core; 2 are beside the server
			name: "racks of 4, 3, 1 and 2 workers", topology: "multi-rack", params: gen.Params{Hosts: 20, Racks: 4},
			on: []int{0, 1, 2, 3, 5, 6, 7, 10, 15, 16}, server: 19,
			ups: [4][]int{{3, 1}, {3, 3}, {3, 3}, {8, 8}}, at: [4]int{1, 1, 4, 10}, parameters: 1 + 3,
		},
		{
			// s0-0 and s0-1 below s1-0, s0-2 and s0-3 below s1-1, both below s2-0: 3, 2, 3 and 2 workers
			name: "tree of racks of 3, 2, 3 and 2 workers", topology: "tree", params: gen.Params{Hosts: 16, Depth: 3, FanOut: 2},
			on: []int{0, 1, 2, 4, 5, 8, 9, 10, 12, 13}, server: 15,
			// s0-0 to s1-0, s0-1 to s1-0, s1-0 to s2-0, s2-0 to s1-1, s0-2 to s1-1, s1-1 to s0-3
			ups: [4][]int{{1, 1, 1, 1, 1, 1}, {1, 1, 2, 2, 1, 3}, {1, 1, 2, 2, 1, 3}, {3, 2, 5, 5, 3, 8}}, at: [4]int{1, 1, 4, 10}, parameters: 6,
		},
	}
}

// between is the frames of a fragment on all links between switches, both ways.
func (c *cluster) between(who int) uint64 {
	sum := c.parameters
	for _, n := range c.ups[who] {
		sum += n
	}
	return uint64(sum)
}

// job lays out a job of one tensor.
func (c *cluster) job(e *experiment.Env, who, mib int) (*job.Job, error) {
	sys := atpTenant(e, atp.DefaultAggregators, 0)
	sys.Indexing = host.Linear // so that none collides with another of the job
	aggregating[who].change(&sys)
	p := c.params
	p.Link = topo.LinkSpec{Rate: testbed.Gigabit100, Delay: units.Microsecond, Queue: portQueue}
	if !aggregating[who].deep {
		sys.Pipe = testbed.TimedATP(e)
		p.Link.Delay += testbed.SwitchTime(e) / 2
	}
	p.Uplink = p.Link
	g, err := gen.ByName(c.topology, p)
	if err != nil {
		return nil, err
	}
	g.MTU = testbed.MTU
	at, err := plan.New(g)
	if err != nil {
		return nil, err
	}
	return job.New(job.Spec{
		System: sys, Plan: at, Scale: 1, Seed: e.Seed, Virtual: true, Replay: true, Sample: gradient.Sampling{Every: sampleEvery}, Host: hostOf(e, sys),
		Model: profiles.Profile{Name: fmt.Sprintf("%d MiB", mib), SizeMiB: mib}, Iterations: 1, On: c.on, ServersOn: []int{c.server}, Servers: 1,
	})
}

// crossed is the frames of a run on links of each kind, and what was sent again.
type crossed struct {
	between, server, workers uint64
	resent                   uint64
}

// crossings counts the frames of a run. Hosts have names that begin with h.
func crossings(c *result.Cell, server string) (out crossed) {
	for i := range c.Links {
		l := &c.Links[i]
		from, to, _ := strings.Cut(l.Name, "->")
		switch isHost := func(end string) bool { return strings.HasPrefix(end, "h") }; {
		case !isHost(from) && !isHost(to):
			out.between += l.Frames
		case strings.HasPrefix(to, server+":"):
			out.server += l.Frames
		case isHost(from) && !strings.HasPrefix(from, server+":"):
			out.workers += l.Frames
		}
	}
	out.resent = summed(c, sansio.CountResentPackets)
	return out
}

func runATPLevels(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	t := claims.Table{
		ID: "atp.a2", Title: "Frames of a fragment between switches, and at the server",
		Columns: []claims.Column{
			{Name: "workers"}, {Name: "who aggregates"}, {Name: "switch"}, {Name: "levels of the header"}, {Name: "bytes of a frame"}, {Name: "between switches"}, {Name: "arithmetic between switches"}, {Name: "at the server"}, {Name: "arithmetic at the server"}, {Name: "fragments"},
		},
		Notes: []string{"Between switches are gradient and parameter packets. By arithmetic: the gradient packets of each link, and one parameter packet to each switch on the way of some worker.", "Switch: the pipeline has two levels, so that all levels are on the reference program."},
	}
	mib, off, saved := experiment.Cut(e, 8, 1), 0.0, math.Inf(1)
	for _, c := range clusters() {
		var all uint64
		for who := range aggregating {
			j, err := c.job(e, who, mib)
			if err != nil {
				return f, err
			}
			set, err := job.NewSet(j)
			if err != nil {
				return f, err
			}
			cells, err := runSet(ctx, set)
			if err != nil {
				return f, err
			}
			n := uint64((j.Params + wire.Values - 1) / wire.Values)
			got := crossings(&cells[0], j.ServerHosts()[0].Name)
			off += differ(got.between, c.between(who)*n) + differ(got.server, uint64(c.at[who])*n) + differ(got.workers, uint64(len(c.on))*n) + float64(got.resent)
			if who == 0 {
				all = got.between
			} else {
				saved = min(saved, float64(got.between)/float64(all))
			}
			per := func(frames uint64) render.Cell { return render.Number(float64(frames)/float64(n), 3) }
			ran, err := testbed.RanOn(j.System, &cells[0])
			if err != nil {
				return f, fmt.Errorf("%s, %s: %w", c.name, aggregating[who].name, err)
			}
			t.Add(render.Text(c.name), render.Text(aggregating[who].name), render.Text(ran), render.Int(levelsOf(j)), render.Int(j.Layout.Packet+14), per(got.between), render.Int(c.between(who)), per(got.server), render.Int(c.at[who]), render.Int(n))
		}
	}
	f.Tables = append(f.Tables, t)
	f.Set("atp.a2.levels", claims.NumberParts(map[string]float64{"frames_off": off, "fewer_levels_over_all_x": saved}).
		Noting("frames of 8 runs by which counts and arithmetic differ; frames between switches with fewer levels over those with all, the least"))
	return f, nil
}

// levelsOf returns how many levels of switches aggregate.
func levelsOf(j *job.Job) int {
	s := j.Layout.Cores[0].(host.Config).Servers[0]
	return (&wire.Header{Upper: s.Upper}).Levels()
}

// differ is by how much two counts do.
func differ(a, b uint64) float64 { return math.Abs(float64(a) - float64(b)) }
