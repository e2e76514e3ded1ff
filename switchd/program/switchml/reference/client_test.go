package reference

import (
	"encoding/binary"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/wire/inet"
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

// treeSwitch is levels of switches in front of workers of the public client. Frames between
// them are in no hurry.
type treeSwitch struct {
	*network
	out    []clienttest.Result
	thread int // of the packet at hand
}

func newTreeSwitch(t testing.TB, at tree, c clienttest.Config) *treeSwitch {
	s := &treeSwitch{network: newNetwork(t, netParams{tree: at, jobs: 1, slots: c.Slots()})}
	s.take = func(h *host, payload []byte) {
		r, _ := wire.Parse(payload)
		s.out = append(s.out, clienttest.Result{Worker: h.worker, Thread: s.thread, Tensor: r.Job, ID: r.PacketID, Sum: int32(binary.BigEndian.Uint32(payload[wire.HeaderLen:]))})
	}
	return s
}

// Handle meets clienttest.Switch.
func (s *treeSwitch) Handle(p *clienttest.Packet) ([]clienttest.Result, bool) {
	before, h, body := s.dropped(switchml.DropLate), s.hosts[p.Worker], payloadOf(p)
	header := inet.UDPHeader(h.flow)
	inet.SetUDPBody(header, len(body))
	s.out, s.thread = nil, p.Thread
	s.arrive(h.up, frame{header: header, body: body})
	s.drain(nil)
	return s.out, s.dropped(switchml.DropLate) > before
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

// The old rule goes wrong in both cases: output is never written, or workers hang.
func TestOldTagsDropFirstPackets(t *testing.T) {
	for i, want := range []string{"worker 0, thread 0, tensor 253: packet 0 was never written", "tensor 253 hangs"} {
		c := wrapCases[i]
		r := clienttest.NewRack(c.cfg, newOldSwitch(t, c.cfg))
		if err := r.Run(c.tensors...); err == nil || err.Error() != want || r.FirstLate != []int{2, 32}[i] {
			t.Errorf("%s: %v, %d first packets late; want %q, %d", c.name, err, r.FirstLate, want, []int{2, 32}[i])
		}
	}
}

// The program does not, nor does Algorithm 3 as printed.
func TestPublicClientWhereBytesWrap(t *testing.T) {
	for _, c := range wrapCases {
		for _, faithful := range []bool{false, true} {
			r := clienttest.NewRack(c.cfg, newClientSwitch(t, c.cfg, faithful))
			if err := r.Run(c.tensors...); err != nil || r.Resent > 0 {
				t.Errorf("%s, faithful %v: %v, %d sent again", c.name, faithful, err, r.Resent)
			}
		}
	}
}

// Nothing that public clients send for the first time is dropped as late, and they end with
// the right sums, in any order of things, also where workers wait for a peer until their
// timers expire. So it is with Algorithm 3 as printed.
func TestPublicClient(t *testing.T) {
	for seed := range 40 {
		for _, faithful := range []bool{false, true} {
			d := drawnRun(seed, 600)
			s := newClientSwitch(t, d.cfg, faithful)
			r := d.rack(s)
			if err := r.Run(d.tensors...); err != nil || r.FirstLate > 0 {
				t.Errorf("seed %d, faithful %v: %v, %d first packets late", seed, faithful, err, r.FirstLate)
			}
		}
	}
}

// So it is at every level.
func TestPublicClientBelowLevels(t *testing.T) {
	for i, name := range treeNames() {
		d := drawnRun(i, 300)
		s := newTreeSwitch(t, trees[name], d.cfg)
		d.cfg.Workers = len(s.hosts)
		r := d.rack(s)
		if err := r.Run(d.tensors...); err != nil || r.FirstLate > 0 {
			t.Errorf("%s: %v, %d first packets late", name, err, r.FirstLate)
		}
	}
}

// Timers that a client leaves running send packets of earlier tensors, without any loss.
// Algorithm 3 as printed counts them: sums are wrong. The program tells them, for 128 tensors.
func TestPublicClientsTimersOfEarlierTensors(t *testing.T) {
	wrong := 0
	for seed := range 40 {
		for _, faithful := range []bool{false, true} {
			d := drawnRun(seed, 600)
			r := d.rack(newClientSwitch(t, d.cfg, faithful))
			r.Waits, r.Stale = nil, func(age uint64) bool { return age < 2*quarter && d.stream.IntN(3) == 0 }
			switch err := r.Run(d.tensors...); {
			case err != nil && faithful:
				wrong++
			case err != nil || r.FirstLate > 0:
				t.Errorf("seed %d: %v, %d first packets late", seed, err, r.FirstLate)
			}
		}
	}
	if wrong < 10 {
		t.Errorf("%d of 40 runs of Algorithm 3 as printed go wrong", wrong)
	}
}
