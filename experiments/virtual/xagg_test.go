package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
)

// XAgg on the example of Fig 1 comes out as the ledger expects. Figs 13 to 15 and the trees take half a minute
// each, and are left to inalab reproduce --quick.
func TestXAggExample(t *testing.T) {
	x := xaggExample()
	experimenttest.Run(t, &x)
}

// Links of a lab have the rates of their hosts, divided by the scale, and those towards workers none where the way down is free.
func TestTreeLabLinks(t *testing.T) {
	e := experimenttest.NewEnv(t)
	l := treeLab{workers: 2, scale: 10, free: true, link: func(host int) units.Rate { return units.Rate(host+1) * testbed.Gigabit10 }}
	p, err := l.plan(e, 3)
	if err != nil {
		t.Fatal(err)
	}
	for h := range p.Hosts {
		sw, _ := p.Switch(p.Hosts[h].Switch)
		port := p.Hosts[h].SwitchPort
		want := units.Rate(h+1) * units.GbitPerSecond
		down := want
		if h < l.workers {
			down = 0
		}
		if got := sw.Ports[port]; got.In.Rate != want || got.Out.Rate != down {
			t.Errorf("host %d: %v up and %v down, want %v and %v", h, got.In.Rate, got.Out.Rate, want, down)
		}
	}
}
