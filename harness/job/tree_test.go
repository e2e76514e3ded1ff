package job_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo/plan"
)

// grown is a system whose layout has trees.
type grown struct {
	job.System
	trees []job.Tree
}

func (g grown) Layout(j *job.Job) (job.Layout, error) {
	l, err := g.System.Layout(j)
	l.Trees = g.trees
	return l, err
}

func grow(t *testing.T, p *plan.Plan, id uint8, on []int, trees ...job.Tree) *job.Job {
	t.Helper()
	return jobtest.Tenant(t, p, id, grown{trioml.System{}, trees}, on...)
}

// Switches on the way replicate the groups of all jobs, and hosts are members of those that
// lead to them, as well as of that of the results.
func TestTrees(t *testing.T) {
	p := jobtest.LeafSpine(t) // ports 0 and 1 of a leaf are hosts, 2 and 3 spines; port l of a spine is leaf l
	a := grow(t, p, 1, []int{0, 1}, job.Tree{Group: plan.Group(0x301), From: 5, To: []int{0, 1}}, job.Tree{Group: plan.Group(0x401), From: 0, To: []int{0, 1}})
	b := grow(t, p, 2, []int{2, 3}, job.Tree{Group: plan.Group(0x302), From: 5, To: []int{2, 3}})
	set, err := job.NewSet(a, b)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]forward.Group{}
	for _, c := range set.Switches(0) {
		got[c.Switch.Name] = c.Groups
		if _, err := set.NewSwitch(c, nil); err != nil {
			t.Error(err)
		}
	}
	ports := func(p ...sansio.Port) []sansio.Port { return p }
	first, second, own := plan.Group(0x301), plan.Group(0x302), plan.Group(0x401)
	want := map[string][]forward.Group{
		"leaf0":  {{Addr: first, Ports: ports(0, 1)}, {Addr: own, Ports: ports(0, 1)}},
		"leaf1":  {{Addr: second, Ports: ports(0, 1)}},
		"leaf2":  {{Addr: first, Ports: ports(2)}, {Addr: second, Ports: ports(2)}},
		"spine0": {{Addr: first, Ports: ports(0)}, {Addr: second, Ports: ports(1)}},
		"spine1": nil,
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if got, want := a.GroupsOf(1), []netip.Addr{plan.Group(1), first, own}; !slices.Equal(got, want) {
		t.Errorf("h1 is a member of %v, want %v", got, want)
	}
}

// A tree leads to the hosts where workers may come up.
func TestTreesLeadToSpareHosts(t *testing.T) {
	s := jobtest.Spec(t, grown{trioml.System{}, []job.Tree{{Group: plan.Group(0x301), From: 4, To: []int{0, 1}}}}, "rack", 6)
	s.On, s.Elements = []int{0, 1}, 0
	s.Actions = []job.Action{at(1, job.Kill, "h1"), on(at(2, job.Start, "h1"), "h3")}
	j := jobtest.New(t, s)
	if got := j.Switches(0)[0].Groups[0].Ports; !slices.Equal(got, []sansio.Port{0, 1, 3}) {
		t.Errorf("results leave by %v", got)
	}
	if got := j.GroupsOf(3); len(got) != 2 {
		t.Errorf("the spare host is a member of %v", got)
	}
	if _, err := job.Alone(j).Course(); err != nil {
		t.Error(err)
	}
}

// Trees that cannot be are refused by name.
func TestBadTrees(t *testing.T) {
	p := jobtest.Plan(t, "rack", 6)
	for want, tree := range map[string]job.Tree{
		"multicast group 239.255.3.1 comes from host 6, but topology rack has hosts 0 to 5": {Group: plan.Group(0x301), From: 6},
		"multicast group 239.255.3.1: plan multicast tree: host index 7: must be 0..5":      {Group: plan.Group(0x301), To: []int{7}},
	} {
		s := jobtest.Spec(t, grown{trioml.System{}, []job.Tree{tree}}, "rack", 2)
		s.Plan, s.On = p, []int{0, 1}
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	tree := job.Tree{Group: plan.Group(0x301), From: 5, To: []int{0}}
	_, err := job.NewSet(grow(t, p, 1, []int{0, 1}, tree), grow(t, p, 2, []int{2, 3}, tree))
	if want := "job 1 and job 2 both have multicast group 239.255.3.1: each needs groups of its own"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
