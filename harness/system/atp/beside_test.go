package atp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job/jobtest"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/topo/plan"
)

// workerOf returns a worker without the server on its host.
func workerOf(core any) host.Config {
	if c, ok := core.(coreConfig); ok {
		return c.Config
	}
	return core.(host.Config)
}

// A server on a worker's host leaves that worker out of its fan-ins, its tree and what switches add for it; to
// all other servers the worker is as any other.
func TestColocated(t *testing.T) {
	for name, tc := range map[string]struct {
		system System
		plan   *plan.Plan
		on     []int
		say    []string // of each worker to the first server
		sw     string
		does   []string
		racks  string
		tree   []int
	}{
		"N to 1": {
			System{Colocated: true}, jobtest.Plan(t, "rack", 3), []int{0, 1, 2},
			[]string{"1 10 of 1 1", "1 1 of 2 1", "10 1 of 2 1"}, "tor", []string{"by [0] 0:0=h1@[1] 0:1=h2@[2]"}, "[{0 false false [1 2]} {1 false true [0]}]", []int{1, 2},
		},
		"N to N": {
			System{Colocated: true, ServerCount: 3}, jobtest.Plan(t, "rack", 3), []int{0, 1, 2},
			[]string{"1 10 of 1 1", "1 1 of 2 1", "10 1 of 2 1"}, "tor",
			[]string{"by [0] 0:0=h1@[1] 0:1=h2@[2]", "by [1] 0:0=h0@[0] 0:1=h2@[2]", "by [2] 0:0=h0@[0] 0:1=h1@[1]"}, "[{0 false false [1 2]} {1 false true [0]}]", []int{1, 2},
		},
		"racks": { // two are whole elsewhere, and one worker is beside the server's own
			System{Colocated: true}, racks(t, 2), []int{0, 1, 2, 3, 4},
			[]string{"1 1000 of 1 1", "1 1 of 1 3 direct", "1 10 of 2 3", "10 10 of 2 3", "1 100 of 1 3"}, "tor0", []string{"by [0] 1:0=h1@[1] 1:1=tor1@[2] 1:2=tor2@[2]"},
			"[{0 true false [1]} {1 false false [2 3]} {2 false false [4]} {3 false true [0]}]", []int{1, 2, 3, 4},
		},
		"alone in its rack": {
			System{Colocated: true}, racks(t, 2), []int{0, 2, 3},
			[]string{"1 10 of 1 1", "1 1 of 2 1", "10 1 of 2 1"}, "tor0", []string{"by [0] 1:0=tor1@[2]"}, "[{0 false false [1 2]} {1 false true [0]}]", []int{2, 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := mustLay(t, tc.system, tc.plan, tc.on, nil)
			var say []string
			for _, c := range j.Layout.Cores {
				say = append(say, told(workerOf(c).Servers[0]))
			}
			if !slices.Equal(say, tc.say) {
				t.Errorf("workers say %q, want %q", say, tc.say)
			}
			if does := parts(j, tc.sw); !slices.Equal(does, tc.does) {
				t.Errorf("%s does %q, want %q", tc.sw, does, tc.does)
			}
			s := j.Layout.Cores[0].(coreConfig).Beside
			if got := fmt.Sprint(s.Racks); got != tc.racks || s.Node != "h0-server" {
				t.Errorf("server %s knows %s, want %s", s.Node, got, tc.racks)
			}
			if tree := j.Layout.Trees[0]; !slices.Equal(tree.To, tc.tree) || tree.From != 0 || len(j.Layout.Trees) != tc.system.servers() {
				t.Errorf("%d trees, the first %+v", len(j.Layout.Trees), tree)
			}
		})
	}
}

// There is one server on a host at most, and none has a host for itself.
func TestColocatedServersAreChecked(t *testing.T) {
	p := jobtest.Plan(t, "rack", 3)
	for want, tc := range map[string]struct {
		system      System
		on, servers []int
	}{
		"a host has one at most: set atp.server-count=2 or less": {System{Colocated: true, ServerCount: 3}, []int{0, 1}, nil},
		"needs 0 hosts": {System{Colocated: true}, []int{0, 1}, []int{2}},
	} {
		if _, err := laid(t, tc.system, p, tc.on, tc.servers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
