package live_test

import (
	"testing"

	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

func TestTopoTimes(t *testing.T) {
	for _, n := range []int{64, 64, 64, 512, 512} {
		g, err := gen.Rack(gen.RackParams{Hosts: n})
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(g)
		if err != nil {
			t.Fatal(err)
		}
		up, down, err := live.Realise(t.Context(), "tt", p, netns.Options{})
		t.Log(n, up, down, err)
	}
}
