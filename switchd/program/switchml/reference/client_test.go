package reference

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/clienttest"
)

// clientSwitch is the program in front of workers of the public client.
type clientSwitch struct {
	*bench
	cfg   clienttest.Config
	first func(p *clienttest.Packet) (drop bool) // a check in front of the program; nil: none
}

func newClientSwitch(t testing.TB, c clienttest.Config, faithful bool) *clientSwitch {
	cfg := testConfig(c.Workers, c.Slots())
	cfg.Faithful = faithful
	s := &clientSwitch{cfg: c}
	s.bench = newBench(t, cfg)
	s.p.cfg.Trace = nil
	return s
}

// payload is a packet of the public client.
func payloadOf(p *clienttest.Packet) []byte {
	b := make([]byte, wire.HeaderLen, wire.HeaderLen+4*elements)
	p.Header(elements).Put(b)
	for range elements {
		b = binary.BigEndian.AppendUint32(b, uint32(p.Value()))
	}
	return b
}

// Handle meets clienttest.Switch.
func (s *clientSwitch) Handle(p *clienttest.Packet) (out []clienttest.Result, late bool) {
	if s.first != nil && s.first(p) {
		return nil, true
	}
	before := s.p.count.Get(switchml.DropLate)
	s.out = s.out[:0]
	for _, o := range s.handle(arrival(p.Worker, payloadOf(p))) {
		out = append(out, clienttest.Result{Worker: o.to, Thread: p.Thread, Tensor: o.h.Job, ID: o.h.PacketID, Sum: o.values[0]})
	}
	return out, s.p.count.Get(switchml.DropLate) > before
}

// Cases in which tags that wrapped with the job byte dropped first packets.
var wrapCases = []struct {
	name    string
	cfg     clienttest.Config
	tensors []clienttest.Tensor
}{
	{"258 tensors of one packet, 256 packets on their way", clienttest.Config{Workers: 2, Threads: 1, Outstanding: 256, Elements: elements}, ofOne(258)},
	{
		"253 tensors of one value, then one for both threads", clienttest.Config{Workers: 2, Threads: 2, Outstanding: 32, Elements: elements},
		append(ofOne(253), clienttest.Tensor{Values: 200 * elements}),
	},
}

// ofOne returns tensors of one value.
func ofOne(n int) (list []clienttest.Tensor) {
	for range n {
		list = append(list, clienttest.Tensor{Values: 1})
	}
	return list
}

// drawn is a run of tensors that are mostly of one value, with one or more threads.
type drawn struct {
	cfg     clienttest.Config
	tensors []clienttest.Tensor
	stream  *rng.Stream
}

// drawnRun returns run number seed of n tensors.
func drawnRun(seed, n int) (d drawn) {
	d.stream = rng.Root(seed).Stream("clients")
	threads, m := 1+d.stream.IntN(3), 1+d.stream.IntN(20)
	d.cfg = clienttest.Config{Workers: 1 + d.stream.IntN(3), Threads: threads, Outstanding: threads * m, Elements: elements}
	for range n {
		t := clienttest.Tensor{Values: 1, Floats: d.stream.IntN(2) == 0}
		switch d.stream.IntN(40) {
		case 0:
			t.Values = 1 + d.stream.IntN(3*d.cfg.Outstanding*elements)
		case 1:
			t.Values = d.stream.IntN(2 * threads * elements)
		case 2:
			t.Values = 0
		}
		d.tensors = append(d.tensors, t)
	}
	return d
}

// rack returns workers that do what they can in any order.
func (d *drawn) rack(s clienttest.Switch) *clienttest.Rack {
	r := clienttest.NewRack(d.cfg, s)
	r.Choose = d.stream.IntN
	r.Waits = func() bool { return d.stream.IntN(5) == 0 }
	return r
}

// The old rule goes wrong in both cases: output is never written, or workers hang. Algorithm 3
// as printed does not.
func TestOldTagsDropFirstPackets(t *testing.T) {
	for i, want := range []string{"worker 0, thread 0, tensor 253: packet 0 was never written", "tensor 253 hangs"} {
		c := wrapCases[i]
		r := clienttest.NewRack(c.cfg, newOldSwitch(t, c.cfg))
		if err := r.Run(c.tensors...); err == nil || err.Error() != want || r.FirstLate != []int{2, 32}[i] {
			t.Errorf("%s: %v, %d first packets late; want %q, %d", c.name, err, r.FirstLate, want, []int{2, 32}[i])
		}
		r = clienttest.NewRack(c.cfg, newClientSwitch(t, c.cfg, true))
		if err := r.Run(c.tensors...); err != nil || r.Resent > 0 {
			t.Errorf("%s, Algorithm 3: %v, %d sent again", c.name, err, r.Resent)
		}
	}
}

// both is two switches that do the same.
type both struct {
	t testing.TB
	a clienttest.Switch
	b clienttest.Switch
}

func (x *both) Handle(p *clienttest.Packet) ([]clienttest.Result, bool) {
	a, late := x.a.Handle(p)
	if b, too := x.b.Handle(p); late != too || !slices.Equal(a, b) {
		x.t.Fatalf("%+v: %+v, late %v; and %+v, late %v", *p, a, late, b, too)
	}
	return a, late
}

// The old rule in front of Algorithm 3 is the program.
func TestOldTagsAreTheProgram(t *testing.T) {
	wrong := 0
	for seed := range 20 {
		d := drawnRun(seed, 700)
		if seed < len(wrapCases) {
			d.cfg, d.tensors = wrapCases[seed].cfg, wrapCases[seed].tensors
		}
		r := d.rack(&both{t, newClientSwitch(t, d.cfg, false), newOldSwitch(t, d.cfg)})
		r.Stale = func() bool { return seed%2 > 0 && d.stream.IntN(3) == 0 }
		if r.Run(d.tensors...) != nil {
			wrong++
		}
	}
	if wrong == 0 {
		t.Error("no run goes wrong")
	}
}
