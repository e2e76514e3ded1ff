package tcpagg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/stream/streamtest"
	"github.com/inalab/inalab/nodes/tcpagg"
	"github.com/inalab/inalab/nodes/tensor"
	"github.com/inalab/inalab/nodes/worker"
)

var _ worker.IntegerCollective = (*tcpagg.Core)(nil)

// The paper's testbed (XAgg Fig 12): seven workers, two servers, the PS.
var testbed = tcpagg.Config{Workers: 7, Parents: []int{7, 7, 7, 8, 8, 8, 9, 9, 9, -1}}

// job lays workers and servers over hosts.
func job(t rapid.TB, opt streamtest.Options, cfg tcpagg.Config, generations int) streamtest.Job {
	t.Helper()
	cfg.Node, cfg.Fixed = "w", streamtest.Fixed
	j := streamtest.Job{
		Options: opt, Workers: cfg.Workers, Generations: generations, Values: cfg.Values(),
		NewCore: func(w int, rec gradient.Recorder) (sansiotest.Core, []stream.Peer, error) {
			cfg := cfg
			cfg.Host, cfg.Recorder = w, rec
			core, err := tcpagg.New(cfg)
			if err != nil {
				return nil, nil, err
			}
			return core, cfg.Peers(), nil
		},
	}
	for h := cfg.Workers; h < len(cfg.Parents); h++ {
		cfg.Host = h
		j.More = append(j.More, streamtest.Host{Machine: newServer(t, cfg), Peers: cfg.Peers()})
	}
	return j
}

func newServer(t rapid.TB, cfg tcpagg.Config) *tcpagg.Server {
	t.Helper()
	s, err := tcpagg.NewServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawTree draws the parents of so many workers and at most so many servers: a server's parent comes
// behind it, and every server has a child, some of them one alone.
func drawTree(t *rapid.T, workers, servers int) []int {
	ps := workers + servers
	parents := make([]int, ps+1)
	parents[ps] = -1
	for h := range ps {
		parents[h] = rapid.IntRange(max(workers, h+1), ps).Draw(t, "parent")
	}
	for s := workers; s < ps; s++ {
		if !slices.Contains(parents, s) {
			return drawTree(t, workers, servers-1)
		}
	}
	return parents
}

// Any tree, tensor, speed of each worker and way down, with loss, duplicates and disorder or
// without: every worker has the sums.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := tcpagg.Config{
			Workers: rapid.IntRange(1, 7).Draw(t, "workers"), Direct: rapid.Bool().Draw(t, "direct"),
			Tensor: rapid.IntRange(1, 40_000).Draw(t, "tensor"), Sample: rapid.SampledFrom([]int{0, 1, 3, 64}).Draw(t, "sample"),
		}
		cfg.Parents = drawTree(t, cfg.Workers, rapid.IntRange(0, 4).Draw(t, "servers"))
		j := job(t, streamtest.DrawOptions(t), cfg, rapid.IntRange(1, 3).Draw(t, "generations"))
		j.Ready = streamtest.DrawReady(t, cfg.Workers, j.Generations)
		if _, err := j.Run(); err != nil {
			t.Fatal(err)
		}
	})
}

// A worker that is late holds up the sums of all, and nothing else: what the others send is added,
// and waits at the servers.
func TestStraggler(t *testing.T) {
	const late = 50 * units.Millisecond
	for _, direct := range []bool{false, true} {
		cfg := testbed
		cfg.Tensor, cfg.Direct = 30_001, direct
		j := job(t, streamtest.Options{Transport: stream.TCP}, cfg, 2)
		j.Ready = func(w, g int) units.Time {
			if w == 1 && g == 1 {
				return units.Time(late)
			}
			return 0
		}
		out, err := j.Run()
		if err != nil {
			t.Fatal(err)
		}
		for w, h := range out.Workers {
			if ended := h.Ended; ended[0] >= units.Time(late) || ended[1] < units.Time(late) {
				t.Errorf("direct %v: worker %d has sums at %v, want the first before %v and the second behind", direct, w, ended, late)
			}
		}
	}
}

// Bytes of each host: a worker sends and receives the tensor once, a server takes one from each
// child and one from its parent, and sends as many. A server may have one child.
func TestBytes(t *testing.T) {
	const elements = 10_001
	const tensorBytes = tensor.HeaderLen + 4*elements
	one := tcpagg.Config{Workers: 2, Parents: []int{2, 3, 3, -1}}
	for _, c := range []struct {
		name           string
		cfg            tcpagg.Config
		direct         bool
		sent, received string // tensors, by host
		busiest        int
	}{
		{"testbed", testbed, false, "1 1 1 1 1 1 1 4 4 3", "1 1 1 1 1 1 1 4 4 3", 4},
		{"testbed, direct", testbed, true, "1 1 1 1 1 1 1 1 1 7", "1 1 1 1 1 1 1 3 3 3", 7},
		{"one child", one, false, "1 1 2 2", "1 1 2 2", 2},
		{"one child, direct", one, true, "1 1 1 2", "1 1 1 2", 2},
		{"star", tcpagg.Config{Workers: 3, Parents: []int{3, 3, 3, -1}}, false, "1 1 1 3", "1 1 1 3", 3},
	} {
		c.cfg.Tensor, c.cfg.Direct = elements, c.direct
		out, err := job(t, streamtest.Options{Transport: stream.RoCE}, c.cfg, 2).Run()
		if err != nil {
			t.Fatal(err)
		}
		var sent, received []string
		for h := range out.Meters {
			s, r := out.Bytes(h)
			sent, received = append(sent, fmt.Sprint(float64(s)/tensorBytes)), append(received, fmt.Sprint(float64(r)/tensorBytes))
		}
		if s, r := strings.Join(sent, " "), strings.Join(received, " "); s != c.sent || r != c.received || c.cfg.Busiest() != c.busiest {
			t.Errorf("%s: hosts send %s and receive %s tensors, want %s and %s; busiest %d, want %d", c.name, s, r, c.sent, c.received, c.cfg.Busiest(), c.busiest)
		}
	}
}

// Sums go up and down as slices come: an all-reduce takes the time of the busiest link, not that of
// the levels one after another, which is 12 tensors in a tree. Acknowledgements of sums, and sums down
// the tree, wait in queues behind gradients: at worst gradients go up, then sums go down. The tenth on
// top is the time until queues and pipelines are full.
func TestTime(t *testing.T) {
	const elements = 4 << 20
	tensorTime := float64(4*elements) * 8 * (4096 + 82) / 4096 / 100e9 * float64(units.Second)
	for _, c := range []struct {
		name  string
		cfg   tcpagg.Config
		slack float64
	}{
		{"tree", testbed, 1.1*6/4 - 1},
		{"direct", tcpagg.Config{Workers: 7, Parents: testbed.Parents, Direct: true}, 0.1},
		{"star", tcpagg.Config{Workers: 3, Parents: []int{3, 3, 3, -1}}, 1.1*6/3 - 1},
	} {
		c.cfg.Tensor, c.cfg.Sample = elements, 1000
		out, err := job(t, streamtest.Options{Transport: stream.RoCE, Rate: 100e9, Delay: units.Microsecond}, c.cfg, 1).Run()
		if err != nil {
			t.Fatal(err)
		}
		if want := units.Duration(float64(c.cfg.Busiest()) * tensorTime); !streamtest.Within(out.Took(), want, c.slack) {
			t.Errorf("%s: an all-reduce takes %v, want %v and at most %.2f times as long", c.name, out.Took(), want, 1+c.slack)
		}
	}
}

// Unstored values take the time and the bytes of a run with values.
func TestLengthsOnly(t *testing.T) {
	var took [2]units.Duration
	for i, sample := range []int{1, 500} {
		cfg := testbed
		cfg.Tensor, cfg.Sample = 100_003, sample
		out, err := job(t, streamtest.Options{Transport: stream.RoCE, Rate: 10e9, Delay: units.Microsecond}, cfg, 2).Run()
		if err != nil {
			t.Fatal(err)
		}
		took[i] = out.Took()
	}
	if took[0] != took[1] {
		t.Errorf("%v, unstored values %v", took[0], took[1])
	}
}

// A server sends a slice up as soon as all children have brought it, whatever comes behind it.
func TestSlicesGoUpAtOnce(t *testing.T) {
	cfg := tcpagg.Config{Node: "s", Host: 2, Workers: 2, Parents: []int{2, 2, 3, -1}, Tensor: 20_000}
	s := newServer(t, cfg)
	b := make([]byte, tensor.HeaderLen+8<<10)
	tensor.Header{Bytes: 80_000}.Put(b)
	var eff sansio.Effects
	for port := sansio.Port(1); port <= 2; port++ {
		if len(eff.Sends) != 0 {
			t.Errorf("%d sends before the second child's slice", len(eff.Sends))
		}
		b[len(b)-1] = byte(port)
		s.Handle(0, []sansio.Arrival{{Port: port, Train: sansio.Train{Body: b}}}, &eff)
	}
	if len(eff.Sends) != 1 || len(eff.Sends[0].Train.Body) != len(b) || eff.Sends[0].To[0] != 0 || eff.Sends[0].Train.Body[len(b)-1] != 3 {
		t.Errorf("%d sends, want one of the slice, to the parent, with the sum", len(eff.Sends))
	}
}

// Both ends of every stream agree on it, and numbers differ within a host.
func TestPeers(t *testing.T) {
	for direct, want := range map[bool]int{false: 18, true: 30} {
		cfg := testbed
		cfg.Direct = direct
		ends, err := streamtest.Meet(len(cfg.Parents), func(h int) []stream.Peer {
			cfg.Host = h
			return cfg.Peers()
		})
		if err != nil || ends != want {
			t.Errorf("direct %v: %d ends of streams, want %d; %v", direct, ends, want, err)
		}
	}
}

// A stream whose next message is not the awaited one is given up, at every kind of end; so are sums
// that nobody waits for, and bytes of a port that has no stream are counted.
func TestFaults(t *testing.T) {
	cfg := tcpagg.Config{Node: "w", Workers: 2, Parents: []int{2, 2, 3, -1}, Tensor: 5}
	message := func(h tensor.Header) sansio.Train {
		b := make([]byte, tensor.HeaderLen+20)
		h.Put(b)
		return sansio.Train{Body: b}
	}
	for name, h := range map[string]tensor.Header{"generation": {Gen: 1, Kind: 1, Bytes: 20}, "kind": {Kind: 2, Bytes: 20}, "length": {Kind: 1, Bytes: 24}} {
		w, err := tcpagg.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg := cfg
		cfg.Host = 2
		s := newServer(t, cfg)
		var eff sansio.Effects
		w.Begin(0, 0, make([]float32, 5), &eff)
		eff.Reset()
		for _, port := range []sansio.Port{0, 0, 3, -1} {
			w.Handle(0, []sansio.Arrival{{Port: port, Train: message(h)}}, &eff)
		}
		for _, port := range []sansio.Port{0, 0, 1, 1, 3, -1} {
			s.Handle(0, []sansio.Arrival{{Port: port, Train: message(h)}}, &eff)
		}
		check(t, name, w.Counters(), map[string]uint64{tcpagg.DropOutOfStep: 1, tcpagg.DropAfterFault: 1, tcpagg.DropWrongPort: 2})
		check(t, name, s.Counters(), map[string]uint64{tcpagg.DropServerOutOfStep: 2, tcpagg.DropServerAfterFault: 2, tcpagg.DropServerWrongPort: 2})
		if w.Complete(0) || len(eff.Sends) != 0 {
			t.Errorf("%s: went on after the fault", name)
		}
	}
}

// Sums of a generation that has them already are a fault, and so is what the parent sends to a server
// where sums come by streams of their own.
func TestUnawaited(t *testing.T) {
	cfg := tcpagg.Config{Node: "w", Workers: 2, Parents: []int{2, 2, 3, -1}, Tensor: 5}
	b := make([]byte, tensor.HeaderLen+20)
	tensor.Header{Kind: 1, Bytes: 20}.Put(b)
	again := []sansio.Arrival{{Train: sansio.Train{Body: b}}}
	w, err := tcpagg.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	w.Begin(0, 0, make([]float32, 5), &eff)
	for range 2 {
		w.Handle(0, again, &eff)
	}
	check(t, "a second time", w.Counters(), map[string]uint64{tcpagg.DropOutOfStep: 1})
	if !w.Complete(0) {
		t.Error("the first sums are lost")
	}
	cfg.Host, cfg.Direct = 2, true
	s := newServer(t, cfg)
	s.Handle(0, again, &eff)
	check(t, "direct", s.Counters(), map[string]uint64{tcpagg.DropServerWrongPort: 1})
}

func check(t *testing.T, name string, got []sansio.Count, want map[string]uint64) {
	t.Helper()
	if err := sansiotest.Counts(got, want); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestConfig(t *testing.T) {
	star := []int{2, 2, -1}
	for want, cfg := range map[string]tcpagg.Config{
		"tensor of 0 elements":              {Workers: 2, Parents: star},
		"2 workers of 2 hosts":              {Workers: 2, Parents: []int{1, -1}, Tensor: 1},
		"at most 16":                        {Workers: 2, Parents: make([]int, 20_000), Tensor: 1},
		"host 3 of 3":                       {Host: 3, Workers: 2, Parents: star, Tensor: 1},
		"has parent 0: it must be -1":       {Workers: 2, Parents: []int{2, 2, 0}, Tensor: 1},
		"host 0 has parent 1":               {Workers: 2, Parents: []int{1, 2, -1}, Tensor: 1},
		"server 2 has no children":          {Workers: 2, Parents: []int{3, 3, 3, -1}, Tensor: 1},
		"do not reach the PS":               {Workers: 2, Parents: []int{2, 4, 3, 2, -1}, Tensor: 1},
		"host 2 is a server: use NewServer": {Host: 2, Workers: 2, Parents: star, Tensor: 1},
	} {
		cfg.Node = "w17"
		if _, err := tcpagg.New(cfg); err == nil || !strings.Contains(err.Error(), "w17") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if _, err := tcpagg.NewServer(tcpagg.Config{Node: "w17", Workers: 2, Parents: star, Tensor: 1}); err == nil || !strings.Contains(err.Error(), "use New") {
		t.Errorf("a worker as server: error %v", err)
	}
}
