package chassis

import (
	"errors"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// A group is one job's, and ports have links: else nothing of the job's groups is left.
func TestRefusedGroups(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	c, err := New(Config{Switch: p.Switches[0], NoLinks: true}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	group := func(n uint16, ports ...sansio.Port) forward.Group {
		return forward.Group{Addr: plan.Group(n), Ports: ports}
	}
	if err := c.SetGroups(2, []forward.Group{group(2, 0, 1), group(3, 2)}); err != nil {
		t.Fatal(err)
	}
	for want, groups := range map[dataplane.Reason][]forward.Group{
		dataplane.RefusedResult: {group(7, 0), group(3, 1)}, dataplane.RefusedPorts: {group(8, 0), group(9, 3)},
	} {
		var refusal *dataplane.Refusal
		if err := c.SetGroups(5, groups); !errors.As(err, &refusal) || refusal.Reason != want {
			t.Errorf("%v, want %s", err, want)
		}
		if len(c.groups) != 2 {
			t.Errorf("left are %v", c.groups)
		}
	}
	if err := c.SetGroups(2, []forward.Group{group(4, 0)}); err != nil || len(c.groups) != 1 {
		t.Errorf("%v, job 2 has %v", err, c.groups)
	}
}
