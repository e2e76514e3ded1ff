package live

import (
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/topo"
)

// What hosts send and receive is counted on real packets, however busy the machine is.
func TestATPVolumeOnPackets(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	f, err := runATPVolume(t.Context(), newTestLab(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Measured["atp.a5.ring-volume"].String(); got != "atp_ps 1, atp_worker 1, ring 1" {
		t.Errorf("volumes over their formulas: %s", got)
	}
	experimenttest.Show(t, &f)
}

// The volume is that of the host with most, and a packet more shows in it.
func TestATPVolumes(t *testing.T) {
	c := result.Cell{Counters: []result.Counter{
		{Node: "h0", Name: host.CountSent, N: 10}, {Node: "h0", Name: host.CountParameters, N: 10},
		{Node: "h1", Name: host.CountSent, N: 12}, {Node: "h1", Name: host.CountParameters, N: 10},
		{Node: "h2", Name: server.CountPackets, N: 5}, {Node: "h2", Name: server.CountAnswered, N: 5},
		{Node: "h3", Name: server.CountPackets, N: 5}, {Node: "h3", Name: server.CountAnswered, N: 5}, {Node: "h3", Name: server.CountAgain, N: 1},
	}}
	if got := atpVolumes(&c, atpStaff{2, 2}); got != (volumes{22 * 248, 11 * 248}) {
		t.Errorf("%+v", got)
	}
	var a against
	for _, v := range []units.Bytes{1010, 960, 1030} {
		a.add(v, 1000)
	}
	if a.worst != 0.96 {
		t.Errorf("the farthest from 1 is %v", a.worst)
	}
}

// ATP's server has a link as slow as its copies, one way, and no other host has.
func TestServersLinkIsAsSlowAsCopies(t *testing.T) {
	x := newATPTCP(experimenttest.NewEnv(t))
	for run, want := range map[int]float64{liveATP: 60.0 * 330 / 306, liveATPOther: 60.0 * 330 / 248} {
		p, err := x.runs[run].plan()
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Hosts {
			h := &p.Hosts[i]
			at := &p.Switches[0].Ports[h.SwitchPort]
			rate := func(r units.Rate) float64 { return float64(r) * atpTCPScale / 1e9 }
			down := 100.0
			if i == atpTCPWorkers {
				down = want
			}
			if math.Abs(rate(at.Out.Rate)-down) > 0.01 || rate(at.In.Rate) != 100 {
				t.Errorf("run %d: %s has %v down and %v up, want %v", run, h.Name, rate(at.Out.Rate), rate(at.In.Rate), down)
			}
		}
	}
	copiedAt(1)(&topo.Link{}) // links of others stay as they are
}

// Training gains no more than its communication does, most where there is most of it, and nothing at equal rates.
func TestTrainingByRates(t *testing.T) {
	x := newATPTCP(experimenttest.NewEnv(t))
	const slow = 10 * units.GbitPerSecond
	alexnet, resnet := x.gain("alexnet", 4*slow, slow), x.gain("resnet50", 4*slow, slow)
	if alexnet <= 2 || alexnet >= 4 || resnet >= alexnet || resnet < 1 || x.gain("vgg16", slow, slow) != 1 {
		t.Errorf("gains of AlexNet %v and ResNet50 %v at a rate four times as high", alexnet, resnet)
	}
}

// Rates are at full scale, and every run has one, here of short tensors. How fast runs are depends on how busy the
// machine is, and is not looked at.
func TestATPOverTCPOnPackets(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	lab := newTestLab(t)
	x := newATPTCP(lab.env)
	x.n = 1
	for i := range x.runs {
		x.runs[i].elements, x.runs[i].iterations, x.runs[i].warmup = 1<<13, 1, 0
	}
	if err := x.carryOut(t.Context(), lab); err != nil {
		t.Fatal(err)
	}
	f := x.findings(lab)
	if got := f.Measured["atp.fig8.byteps-nto1-tcp"]; !strings.HasPrefix(got.Model, "live, scaled 1/2000; ") || got.String() == "0" {
		t.Errorf("%v of %q", got, got.Model)
	}
	experimenttest.Show(t, &f)
}
