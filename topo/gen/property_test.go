package gen_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/gen/gentest"
)

func TestEveryGraphValidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, p := gentest.Draw(t)
		p.Link = topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}
		p.Uplink = topo.LinkSpec{Rate: 400 * units.GbitPerSecond}
		p.Fabric = topo.LinkSpec{Delay: 500 * units.Nanosecond}
		g, err := gen.ByName(name, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		again, err := gen.ByName(name, p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, again); diff != "" {
			t.Fatalf("the same parameters gave another graph:\n%s", diff)
		}
	})
}
