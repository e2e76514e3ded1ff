package ps_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/ps"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/stream/streamtest"
	"github.com/inalab/inalab/nodes/tensor"
	"github.com/inalab/inalab/nodes/worker"
)

var _ worker.IntegerCollective = (*ps.Core)(nil)

// job lays workers and servers over hosts.
func job(t rapid.TB, opt streamtest.Options, cfg ps.Config, generations int) streamtest.Job {
	t.Helper()
	cfg.Node, cfg.Fixed = "w", streamtest.Fixed
	j := streamtest.Job{
		Options: opt, Workers: cfg.Workers, Generations: generations, Values: cfg.Values(),
		NewCore: func(w int, rec gradient.Recorder) (sansiotest.Core, []stream.Peer, error) {
			cfg := cfg
			cfg.Host, cfg.Recorder = w, rec
			core, err := ps.New(cfg)
			return core, cfg.Peers(), err
		},
	}
	for h := cfg.Workers; h < cfg.Hosts(); h++ {
		cfg.Host = h
		server, err := ps.NewServer(cfg)
		if err != nil {
			t.Fatal(err)
		}
		j.More = append(j.More, streamtest.Host{Machine: server, Peers: cfg.Peers()})
	}
	return j
}

// Any number of workers and servers, anywhere, any tensor, any speed of each, with
// loss, duplicates and disorder or without: every worker has the sums.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := ps.Config{
			Workers: rapid.IntRange(2, 6).Draw(t, "workers"), Dedicated: rapid.Bool().Draw(t, "dedicated"),
			Sample:    rapid.SampledFrom([]int{0, 1, 3, 64}).Draw(t, "sample"),
			Partition: rapid.SampledFrom([]int{0, 0, 1000, 10_000, 1 << 20}).Draw(t, "partition"),
		}
		most := cfg.Workers
		if cfg.Dedicated {
			most += 2
		} else {
			cfg.Cross = rapid.Bool().Draw(t, "cross")
		}
		cfg.Servers = rapid.IntRange(1, most).Draw(t, "servers")
		cfg.Tensor = rapid.IntRange(cfg.Servers, 40_000).Draw(t, "tensor")
		j := job(t, streamtest.DrawOptions(t), cfg, rapid.IntRange(1, 3).Draw(t, "generations"))
		j.Ready = streamtest.DrawReady(t, cfg.Workers, j.Generations)
		if _, err := j.Run(); err != nil {
			t.Fatal(err)
		}
	})
}

// Bytes of a host: the tensor there and back for a worker, and the same for a
// dedicated server of as many (SwitchML §3); 2(n-1)/n of it each way where they
// share a host, or twice the tensor if all of it crosses the network.
func TestBytes(t *testing.T) {
	const n, size = 4, 4 * 4 * 100
	shard := size / n
	for _, c := range []struct {
		name            string
		cfg             ps.Config
		payload, header int // of a host, each way
	}{
		{"dedicated", ps.Config{Dedicated: true}, size, n},
		{"colocated", ps.Config{}, 2 * (size - shard), 2 * (n - 1)},
		{"crossing", ps.Config{Cross: true}, 2 * size, 2 * n},
	} {
		c.cfg.Workers, c.cfg.Servers, c.cfg.Tensor = n, n, size/4
		out, err := job(t, streamtest.Options{Transport: stream.RoCE}, c.cfg, 2).Run()
		if err != nil {
			t.Fatal(err)
		}
		for h := range out.Meters {
			sent, received := out.Bytes(h)
			if want := c.payload + c.header*tensor.HeaderLen; sent != want || received != want {
				t.Errorf("%s: host %d of %d sends %d and receives %d bytes, want %d", c.name, h, len(out.Meters), sent, received, want)
			}
		}
	}
}

// Dedicated servers take the time of the tensor at link rate. Colocated ones
// take twice that, less the shard that stays: 2(n-1)/n (SwitchML §3, §6.1).
// The tenth on top is the time until queues and pipelines are full.
func TestTime(t *testing.T) {
	const n, elements = 8, 4 << 20
	tensorTime := float64(4*elements) * 8 * (4096 + 82) / 4096 / 100e9 * float64(units.Second)
	for _, c := range []struct {
		name  string
		cfg   ps.Config
		times float64
	}{
		{"dedicated", ps.Config{Dedicated: true}, 1},
		{"colocated", ps.Config{}, 2 * float64(n-1) / n},
		{"crossing", ps.Config{Cross: true}, 2},
	} {
		c.cfg.Workers, c.cfg.Servers, c.cfg.Tensor, c.cfg.Sample = n, n, elements, 1000
		out, err := job(t, streamtest.Options{Transport: stream.RoCE, Rate: 100e9, Delay: units.Microsecond}, c.cfg, 1).Run()
		if err != nil {
			t.Fatal(err)
		}
		if want := units.Duration(c.times * tensorTime); !streamtest.Within(out.Took(), want, 0.10) {
			t.Errorf("%s servers take %v, want %v", c.name, out.Took(), want)
		}
		for h, node := range out.Nodes {
			for _, count := range node.Counters() {
				if count.Name == "roce-packets-again" {
					t.Errorf("%s: host %d: %+v", c.name, h, count)
				}
			}
		}
	}
}

// Unstored values take the time and the bytes of a run with values.
func TestLengthsOnly(t *testing.T) {
	for _, dedicated := range []bool{false, true} {
		var took [2]units.Duration
		var bytes [2]units.Bytes
		for i, sample := range []int{1, 500} {
			cfg := ps.Config{Workers: 3, Servers: 3, Dedicated: dedicated, Tensor: 100_003, Sample: sample}
			out, err := job(t, streamtest.Options{Transport: stream.RoCE, Rate: 10e9, Delay: units.Microsecond}, cfg, 2).Run()
			if err != nil {
				t.Fatal(err)
			}
			took[i] = out.Took()
			for _, w := range out.Up {
				bytes[i] += w.Bytes
			}
		}
		if took[0] != took[1] || bytes[0] != bytes[1] {
			t.Errorf("dedicated %v: %v and %d bytes, unstored values %v and %d", dedicated, took[0], bytes[0], took[1], bytes[1])
		}
	}
}

// A server answers a partition when all workers have pushed the whole of it, and not before.
func TestPartitions(t *testing.T) {
	cfg := ps.Config{Node: "s", Host: 2, Workers: 2, Servers: 1, Dedicated: true, Tensor: 30_000, Partition: 50_000}
	s := newServer(t, cfg)
	b := make([]byte, tensor.HeaderLen+4*cfg.Tensor)
	tensor.Header{Bytes: 4 * cfg.Tensor}.Put(b)
	var eff sansio.Effects
	arrive := func(port sansio.Port, from, to int) {
		s.Handle(0, []sansio.Arrival{{Port: port, Train: sansio.Train{Body: b[from:to]}}}, &eff)
	}
	const first = tensor.HeaderLen + 50_000
	arrive(0, 0, len(b))
	arrive(1, 0, first-1)
	if len(eff.Sends) != 0 {
		t.Errorf("%d sends with a partition that lacks a byte", len(eff.Sends))
	}
	arrive(1, first-1, len(b))
	var sizes []int
	for _, send := range eff.Sends {
		sizes = append(sizes, len(send.Train.Body))
	}
	if want := []int{first, 50_000, 20_000}; !slices.Equal(sizes, want) {
		t.Errorf("answers of %d bytes, want %d", sizes, want)
	}
}

// However the streams are cut, a server sends the same: slices end at fixed
// places.
func TestCutsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := ps.Config{Node: "s", Host: 2, Workers: 2, Servers: 1, Dedicated: true, Tensor: 30_000, Sample: rapid.SampledFrom([]int{1, 7}).Draw(t, "sample")}
		part := tensor.NewCut(cfg.Tensor, 1, cfg.Sample).Part(0, 1)
		b := make([]byte, tensor.HeaderLen+part.Hi)
		tensor.Header{Bytes: part.Bytes()}.Put(b)
		whole, cut := newServer(t, cfg), newServer(t, cfg)
		var a, c sansio.Effects
		for port := range 2 {
			arrive := func(s *ps.Server, body []byte, unstored int, eff *sansio.Effects) {
				s.Handle(0, []sansio.Arrival{{Port: sansio.Port(port), Train: sansio.Train{Body: body, Unstored: unstored}}}, eff)
			}
			arrive(whole, b, part.Unstored, &a)
			for at := 0; at < len(b); {
				n := min(rapid.IntRange(1, 60_000).Draw(t, "bytes"), len(b)-at)
				arrive(cut, b[at:at+n], 0, &c)
				at += n
			}
			for left := part.Unstored; left > 0; {
				n := min(rapid.IntRange(1, 60_000).Draw(t, "unstored"), left)
				arrive(cut, nil, n, &c)
				left -= n
			}
		}
		if len(a.Sends) == 0 || len(a.Sends) != len(c.Sends) {
			t.Fatalf("%d sends, cut %d", len(a.Sends), len(c.Sends))
		}
		for i := range a.Sends {
			x, y := a.Sends[i].Train, c.Sends[i].Train
			if len(x.Body) != len(y.Body) || x.Unstored != y.Unstored {
				t.Fatalf("send %d: %d and %d bytes, cut %d and %d", i, len(x.Body), x.Unstored, len(y.Body), y.Unstored)
			}
		}
	})
}

func newServer(t rapid.TB, cfg ps.Config) *ps.Server {
	t.Helper()
	s, err := ps.NewServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Both ends of every stream agree on it, and numbers differ within a host.
func TestPeers(t *testing.T) {
	for _, cfg := range []ps.Config{
		{Workers: 5, Servers: 5}, {Workers: 5, Servers: 3}, {Workers: 5, Servers: 5, Cross: true}, {Workers: 3, Servers: 4, Dedicated: true}, {Workers: 1, Servers: 1, Dedicated: true},
	} {
		ends, err := streamtest.Meet(cfg.Hosts(), func(h int) []stream.Peer {
			cfg.Host = h
			return cfg.Peers()
		})
		want := 2 * cfg.Workers * cfg.Servers
		if !cfg.Dedicated && !cfg.Cross {
			want -= 2 * cfg.Servers
		}
		if err != nil || ends != want {
			t.Errorf("%+v: %d ends of streams, want %d; %v", cfg, ends, want, err)
		}
	}
}

// A stream whose next message is not the awaited one is given up, at either end.
func TestStreamOutOfStep(t *testing.T) {
	message := func(h tensor.Header) sansio.Train {
		b := make([]byte, tensor.HeaderLen+20)
		h.Put(b)
		return sansio.Train{Body: b}
	}
	for name, h := range map[string]tensor.Header{"generation": {Gen: 1, Bytes: 20}, "shard": {Kind: 1, Bytes: 20}, "length": {Bytes: 24}} {
		cfg := ps.Config{Node: "w", Workers: 2, Servers: 2, Dedicated: true, Tensor: 10}
		w, err := ps.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Host = 2
		s := newServer(t, cfg)
		var eff sansio.Effects
		w.Begin(0, 0, make([]float32, 10), &eff)
		eff.Reset()
		for _, port := range []sansio.Port{0, 0, 2, -1} {
			w.Handle(0, []sansio.Arrival{{Port: port, Train: message(h)}}, &eff)
			s.Handle(0, []sansio.Arrival{{Port: port, Train: message(h)}}, &eff)
		}
		check(t, name, w.Counters(), map[string]uint64{ps.DropOutOfStep: 1, ps.DropAfterFault: 1, ps.DropWrongPort: 2})
		check(t, name, s.Counters(), map[string]uint64{ps.DropServerStep: 1, ps.DropServerFault: 1, ps.DropServerNobody: 2})
		if w.Complete(0) || len(eff.Sends) != 0 {
			t.Errorf("%s: went on after the fault", name)
		}
	}
}

func check(t *testing.T, name string, got []sansio.Count, want map[string]uint64) {
	t.Helper()
	if err := sansiotest.Counts(got, want); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// Sums that nobody waits for, and a shard before the sums of the one before were
// sent, are faults.
func TestOutOfTurn(t *testing.T) {
	cfg := ps.Config{Node: "w", Workers: 2, Servers: 1, Dedicated: true, Tensor: 1}
	b := make([]byte, tensor.HeaderLen+4)
	tensor.Header{Bytes: 4}.Put(b)
	w, err := ps.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	w.Handle(0, []sansio.Arrival{{Train: sansio.Train{Body: b}}}, &eff)
	check(t, "sums", w.Counters(), map[string]uint64{ps.DropOutOfStep: 1})
	cfg.Host = 2
	s := newServer(t, cfg)
	s.Handle(0, []sansio.Arrival{{Train: sansio.Train{Body: b}}}, &eff)
	next := append([]byte(nil), b...)
	next[3] = 1
	s.Handle(0, []sansio.Arrival{{Train: sansio.Train{Body: next}}}, &eff)
	check(t, "shard", s.Counters(), map[string]uint64{ps.DropServerStep: 1})
}

func TestConfig(t *testing.T) {
	for name, cfg := range map[string]ps.Config{
		"one of each":     {Workers: 0, Servers: 1, Tensor: 10},
		"at most":         {Workers: 40_000, Servers: 40_000, Dedicated: true, Tensor: 40_000},
		"beside":          {Workers: 2, Servers: 3, Tensor: 10},
		"Cross":           {Workers: 2, Servers: 2, Dedicated: true, Cross: true, Tensor: 10},
		"host 2 of 2":     {Host: 2, Workers: 2, Servers: 2, Tensor: 10},
		"1 elements":      {Workers: 2, Servers: 2, Tensor: 1},
		"NewServer":       {Host: 2, Workers: 2, Servers: 2, Dedicated: true, Tensor: 10},
		"partitions of 6": {Workers: 2, Servers: 2, Tensor: 10, Partition: 6},
		"one value of -1": {Workers: 2, Servers: 2, Tensor: 10, Sample: -1},
	} {
		cfg.Node = "w17"
		if _, err := ps.New(cfg); err == nil || !strings.Contains(err.Error(), "w17") || !strings.Contains(err.Error(), strings.TrimPrefix(name, "one value of ")) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := ps.NewServer(ps.Config{Node: "w17", Workers: 2, Servers: 2, Tensor: 10}); err == nil || !strings.Contains(err.Error(), "use New") {
		t.Errorf("a server beside a worker: error %v", err)
	}
}
