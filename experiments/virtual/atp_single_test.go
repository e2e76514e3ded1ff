package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// The cheap ones among ATP's figures of one job, cut as a quick run cuts them. Fig 8 is left to inalab reproduce
// --quick; a point of it is in atpCalls.
func TestATPSingleJobFigures(t *testing.T) {
	for _, x := range []experiment.Experiment{atpSmallTensor(), twoPass()} {
		t.Run(x.ID, func(t *testing.T) {
			t.Parallel()
			experimenttest.Run(t, &x)
		})
	}
}

// Loss on the link of the first host leaves the others as they are.
func TestFirstLink(t *testing.T) {
	p, err := network{topology: "rack", hosts: 3, rate: testbed.Gigabit100, first: 0.25}.plan(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		at := &p.Switches[0].Ports[h.SwitchPort]
		if want := map[bool]float64{true: 0.25}[i == 0]; at.In.Loss != want || at.Out.Loss != want {
			t.Errorf("%s loses %g up and %g down, want %g", h.Name, at.In.Loss, at.Out.Loss, want)
		}
	}
}

// What is resent counts at the worker that is asked about.
func TestResends(t *testing.T) {
	r := resends{node: "h0"}
	for _, e := range []trace.Event{{Node: "h0", Kind: trace.Retransmit, Note: host.ByTimeout}, {Node: "h0", Kind: trace.Retransmit, Note: host.ByOrder}, {Node: "h1", Kind: trace.Retransmit}, {Node: "h0", Kind: trace.Sent}} {
		r.Event(&e)
	}
	if r.n != 2 || r.late != 1 {
		t.Errorf("%d packets, %d by timeouts, want 2 and 1", r.n, r.late)
	}
}

// 60 Gbit/s of gradients are more frames: 306 bytes for each 248.
func TestCopiesOfServers(t *testing.T) {
	e := experimenttest.NewEnv(t)
	if frames, payload := testbed.ATPCopy(e, "frames"), testbed.ATPCopy(e, "payload"); frames != 60*units.GbitPerSecond || payload != frames*306/248 {
		t.Errorf("%v of frames and %v of gradients", frames, payload)
	}
}

// A packet takes a host half of its time each way, since one goes for each that comes.
func TestHostsOfATP(t *testing.T) {
	e := experimenttest.NewEnv(t)
	e.Constants = e.Constants.With("atp.packets", 25)
	if h := testbed.ATPHost(e); h.Frame != 20*units.Nanosecond || h.Rate != 0 {
		t.Errorf("a packet of 25 million a second takes %v each way at %v, want 20ns and no rate", h.Frame, h.Rate)
	}
}

// Gains are of iterations, and of the best model.
func TestGains(t *testing.T) {
	times := func(seconds ...units.Duration) (out []profiles.Timeline) {
		for _, m := range seconds {
			out = append(out, profiles.Timeline{Iteration: m * units.Second})
		}
		return out
	}
	tr := trained{times: map[string][]profiles.Timeline{}}
	for _, m := range testbed.ATPModels {
		tr.times[m] = times(4, 3)
	}
	tr.times["vgg16"] = times(4, 6)
	if got := tr.over("vgg16", schemeBytePS); got != 1.5 || tr.best(schemeBytePS) != 1.5 || tr.over("vgg11", schemeBytePS) != 0.75 {
		t.Errorf("VGG16 gains %g, the best model %g, VGG11 %g; want 1.5, 1.5, 0.75", got, tr.best(schemeBytePS), tr.over("vgg11", schemeBytePS))
	}
}

// An end changes what it says: a GPU that is faster, tensors that wait for the last gradient, the shard of a
// worker's own server.
func TestEndsOfFig8(t *testing.T) {
	e := experimenttest.NewEnv(t)
	x := &trained{env: e, at: make([]line, schemeBytePSCross+1)}
	for scheme, gbit := range []float64{schemeATP: 48, schemeBytePS: 50, schemeRing: 52, schemeSwitchML: 30, schemeSwitchML256: 90, schemeOtherCopy: 60, schemeNoCopy: 75, schemeBytePSCross: 40} {
		x.at[scheme].each = 8000 / gbit
	}
	ends := map[string]fig8End{}
	for _, end := range fig8Ends(e) {
		ends[end.name] = end
	}
	taken, copies := ends["as taken"], ends["copies counted the other way"]
	base, _ := x.most(&taken, taken.byteps)
	if v, model := x.most(&copies, copies.byteps); v <= base || v > 60.0/50 || model != "alexnet" {
		t.Errorf("%v with %s, and %v as taken", v, model, base)
	}
	all := ends["likewise, and copies at once, which the paper does not have"]
	if v, _ := x.most(&all, all.byteps); v < 1.4 || v > 75.0/40 {
		t.Errorf("all ends together gain %v, at most %v", v, 75.0/40)
	}
	if v, want := x.worst(&taken), x.replayed("alexnet", schemeRing, &taken).Seconds()/x.replayed("alexnet", schemeATP, &taken).Seconds(); v != want || v >= 1 {
		t.Errorf("the least is %v, want %v of AlexNet over a ring", v, want)
	}
	fast, plain := ends["GPUs at all of their FLOP/s"], ends["nothing hidden behind compute"]
	if a, b := x.replayed("vgg16", schemeATP, &taken), x.replayed("vgg16", schemeATP, &fast); b >= a {
		t.Errorf("an iteration takes %v, on a faster GPU %v", a, b)
	}
	if a, b := x.replayed("vgg16", schemeATP, &taken), x.replayed("vgg16", schemeATP, &plain); b <= a {
		t.Errorf("an iteration takes %v, where nothing is hidden %v", a, b)
	}
}
