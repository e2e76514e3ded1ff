package atpps

import (
	"encoding/binary"
	"math"
	"math/bits"
	"net/netip"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

const testJob = 7

var (
	serverAddr = netip.MustParseAddr("10.0.0.9")
	groupAddr  = netip.MustParseAddr("239.255.0.7")
)

// twoRacks is a job of five workers: two racks of two, and a worker in the server's rack.
func twoRacks() Config {
	return Config{
		Node: "server", Workers: 5, Job: testJob, Span: 4, Streams: wire.Split(6, 1), Aggregators: 16,
		Flow: inet.Flow{Src: serverAddr, Dst: groupAddr, DstMAC: inet.MulticastMAC(groupAddr), SrcPort: wire.Port, DstPort: wire.Port},
		Racks: []Rack{
			{Bit: 0, Workers: []uint8{0, 1}}, {Bit: 1, Workers: []uint8{2, 3}}, {Bit: 2, Direct: true, Workers: []uint8{4}},
		},
	}
}

// answer is a parameter packet that a server sent, or a request for floats.
type answer struct {
	wire.Header
	values []byte // nil: unstored
	at     units.Time
}

// request reports whether it asks for floats.
func (a *answer) request() bool { return a.Flags&(wire.Overflow|wire.Resend) == wire.Overflow }

// rig is a server, and what it sends.
type rig struct {
	t      testing.TB
	server *Server
	feed   sansiotest.Feed
	sent   []answer
}

func newRig(t testing.TB, cfg Config) *rig {
	t.Helper()
	server, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, server: server}
	r.feed = sansiotest.Feed{Machine: server, Sent: r.take}
	return r
}

// take takes down what the server sends: full packets for the group that may be marked.
func (r *rig) take(at units.Time, s *sansio.Send) {
	ip, udp, ok := s.Train.UDP()
	if !ok || ip.Src() != serverAddr || ip.Dst() != groupAddr || udp.DstPort() != wire.Port || ip.ECN() != inet.ECT0 || !ip.ChecksumOK() {
		r.t.Fatalf("sent %x", s.Train.Header)
	}
	if !slices.Equal(s.To, []sansio.Port{0}) {
		r.t.Fatalf("sent by ports %v", s.To)
	}
	for f := range s.Train.Frames() {
		a := answer{at: at}
		payload := s.Train.Payload(f)
		if problem := a.Read(payload, s.Train.Unstored); problem != wire.OK || !a.Flags.Has(wire.IsAck) || a.Job != testJob || a.Bitmaps[1] != 0 {
			r.t.Fatalf("sent %s %+v", problem, a.Header)
		}
		if s.Train.Unstored == 0 {
			a.values = slices.Clone(payload[wire.HeaderLen:])
		}
		if a.request() && !vec.Zero(a.values) {
			r.t.Fatalf("request with values %x", a.values)
		}
		r.sent = append(r.sent, a)
	}
}

// give hands a packet to the server and returns what it sends.
func (r *rig) give(p *incoming) []answer {
	r.sent = nil
	r.feed.Arrive(r.feed.Now, p.arrival())
	return r.sent
}

// incoming is a gradient packet to the server.
type incoming struct {
	wire.Header
	values   []byte
	unstored bool
	ce       bool
}

func (p *incoming) arrival() sansio.Arrival {
	flow := inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: serverAddr, SrcPort: 1, DstPort: wire.Port}
	t := sansio.Train{Header: inet.UDPHeader(flow), Body: make([]byte, wire.HeaderLen, wire.PayloadLen)}
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	ip.SetECN(inet.ECT0)
	if p.ce {
		ip.SetECN(inet.CE)
	}
	p.Put(t.Body)
	if p.unstored {
		t.Unstored = 4 * wire.Values
	} else {
		t.Body = append(t.Body, p.values...)
	}
	inet.SetUDPBody(t.Header, t.PayloadBytes())
	return sansio.Arrival{Train: t}
}

// packetOf returns the packet of some workers as it would come to the server: of one worker, of
// workers of one rack, of all, or of several in the server's rack.
func packetOf(cfg *Config, set trace.Mask, sequence uint32, flags wire.Flags) *incoming {
	p := &incoming{Header: wire.Header{Job: cfg.Job, Sequence: sequence, FanIns: [2]uint8{1, 1}, Flags: flags}}
	for i := range cfg.Racks {
		r := &cfg.Racks[i]
		in := uint32(0)
		for bit, w := range r.Workers {
			if set.Has(w) {
				in |= 1 << bit
			}
		}
		if in != 0 {
			p.Bitmaps[0] = in
			p.Bitmaps[1] |= 1 << r.Bit
			p.FanIns[0] = uint8(len(r.Workers))
		}
		if in != 0 && r.Direct || bits.OnesCount32(in) > 1 {
			p.Flags |= wire.EdgeSwitch
		}
	}
	if bits.OnesCount32(p.Bitmaps[1]) > 1 {
		p.Flags |= wire.EdgeSwitch
	}
	p.FanIns[1] = uint8(len(cfg.Racks))
	return p
}

// fill gives a packet sums of some workers.
func (p *incoming) fill(set trace.Mask, value func(worker, i int) int32) *incoming {
	p.values = make([]byte, 4*wire.Values)
	for i := range wire.Values {
		sum := int32(0)
		for w := range 256 {
			if set.Has(uint8(w)) {
				sum += value(w, i)
			}
		}
		binary.BigEndian.PutUint32(p.values[4*i:], uint32(sum))
	}
	return p
}

// fillFloats gives a packet the floats of a worker.
func (p *incoming) fillFloats(value func(i int) float32) *incoming {
	p.values = make([]byte, 4*wire.Values)
	for i := range wire.Values {
		binary.BigEndian.PutUint32(p.values[4*i:], math.Float32bits(value(i)))
	}
	return p
}

func integer(values []byte, i int) int32 { return int32(binary.BigEndian.Uint32(values[4*i:])) }

func maskOf(workers ...uint8) (m trace.Mask) {
	for _, w := range workers {
		m.Set(w)
	}
	return m
}

func (r *rig) counted(name string) uint64 { return sansio.CountOf(r.server.Counters(), name) }
