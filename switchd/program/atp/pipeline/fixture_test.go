package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/reference"
)

// age is one that both programs tell to the tick.
const age = 153 * tick

func hostAddr(h int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(h >> 8), byte(h)}) }

// serverAddr is that of a server of a job.
func serverAddr(job uint8, server int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 1, job, byte(server)})
}

// serverOf returns a server of a job with sources of a level, at ports that begin with the one
// given; its parameter packets come by the port behind theirs.
func serverOf(job uint8, server, level, sources int, first sansio.Port) atp.Server {
	s := atp.Server{Addr: serverAddr(job, server), Ports: []sansio.Port{first + sansio.Port(sources)}}
	for i := range sources {
		s.Levels[level].Sources = append(s.Levels[level].Sources, atp.Source{
			Bit: uint8(i), Ports: []sansio.Port{first + sansio.Port(i), 15}, Name: fmt.Sprintf("w%d", i), Workers: []uint8{uint8(i)},
		})
	}
	return s
}

// configOf is that of a switch with jobs of one server each, numbered from 1: all at the same ports.
func configOf(aggregators int, levels, sources []int) atp.Config {
	cfg := atp.Config{Node: "tor", Aggregators: aggregators, Age: age}
	for i, level := range levels {
		job := uint8(i + 1)
		cfg.Jobs = append(cfg.Jobs, atp.Job{ID: job, Servers: []atp.Server{serverOf(job, 0, level, sources[i], 0)}})
	}
	return cfg
}

// packet is a packet of ATP and where it comes from.
type packet struct {
	wire.Header
	port     sansio.Port
	src, dst netip.Addr
	ce       bool
	values   [wire.Values]int32
	cut      int // bytes that lack at the end, or if negative stand behind
	unstored int
}

func (p *packet) payload() []byte {
	b := make([]byte, wire.PayloadLen, wire.PayloadLen+16)
	p.Put(b)
	for i, v := range p.values {
		binary.BigEndian.PutUint32(b[wire.HeaderLen+4*i:], uint32(v))
	}
	return b[:wire.PayloadLen-p.cut]
}

// arrival returns packets as they come in transit: one train, with the IP header of the first.
func arrival(first *packet, more ...*packet) sansio.Arrival {
	body := first.payload()
	seg := len(body)
	for _, p := range more {
		body = append(body, p.payload()...)
	}
	header := inet.UDPHeader(inet.Flow{Src: first.src, Dst: first.dst, SrcPort: 4000, DstPort: wire.Port})
	ip := inet.IPv4(header[inet.EtherLen:])
	ip.SetECN(inet.ECT0)
	if first.ce {
		ip.SetECN(inet.CE)
	}
	inet.SetUDPBody(header, len(body))
	sansio.FillPartial(header, len(body))
	t := sansio.Train{Header: header, Body: body[:len(body)-first.unstored], Seg: seg, Unstored: first.unstored, Checksum: sansio.ChecksumPartial}
	return sansio.Arrival{Port: dataplane.Inbound(first.port), Train: t}
}

// gradient is a packet of a source of a job's only server.
func gradient(s *atp.Server, job uint8, level, source int, sequence uint32, index uint16) *packet {
	l := &s.Levels[level]
	from := &l.Sources[source]
	p := &packet{port: from.Ports[0], src: hostAddr(source), dst: s.Addr, Header: wire.Header{
		Bitmaps: [2]uint32{1, 1}, Job: job, Sequence: sequence, Index: index, FanIns: [2]uint8{1, 1},
	}}
	p.Bitmaps[level], p.FanIns[level] = 1<<from.Bit, uint8(l.FanIn())
	if level == 1 {
		p.Flags |= wire.EdgeSwitch
	}
	return p
}

// parameter is a parameter packet of a server.
func parameter(s *atp.Server, job uint8, sequence uint32, index uint16) *packet {
	return &packet{port: s.Ports[0], src: s.Addr, dst: netip.MustParseAddr("239.255.0.1"), Header: wire.Header{
		Job: job, Sequence: sequence, Index: index, FanIns: [2]uint8{1, 1}, Flags: wire.IsAck,
	}}
}

// sent is a frame that left.
type sent struct {
	at    units.Time
	port  sansio.Port
	frame []byte
}

func (s *sent) header() (h wire.Header) {
	h.Read(s.frame[inet.UDPHeaders:], 0)
	return h
}

func (s *sent) value(i int) int32 {
	return int32(binary.BigEndian.Uint32(s.frame[inet.UDPHeaders+wire.HeaderLen+4*i:]))
}

// take lists the frames of effects, and resets them.
func take(now units.Time, eff *sansio.Effects) (out []sent) {
	for i := range eff.Sends {
		s := &eff.Sends[i]
		for _, port := range s.To {
			for f := range s.Train.Frames() {
				t := s.Train.Frame(f, nil)
				frame := append(bytes.Clone(t.Header), t.Body...)
				out = append(out, sent{now, port, append(frame, make([]byte, t.Unstored)...)})
			}
		}
	}
	eff.Reset()
	return out
}

// events is a sink.
type events struct{ list []trace.Event }

func (e *events) Event(v *trace.Event) { e.list = append(e.list, *v) }

// chip is an engine and what left it.
type chip struct {
	t   rapid.TB
	e   *Engine
	eff sansio.Effects
	events
}

func newChip(t rapid.TB, cfg atp.Config, o Options) *chip {
	t.Helper()
	c := &chip{t: t}
	cfg.Trace = &c.events
	var err error
	if c.e, err = New(cfg, o); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *chip) handle(now units.Time, in ...sansio.Arrival) []sent {
	c.e.Handle(now, in, &c.eff)
	return take(now, &c.eff)
}

func (c *chip) send(p *packet) []sent { return c.handle(0, arrival(p)) }

func (c *chip) count(name string) uint64 {
	for _, n := range c.e.Counters() {
		if n.Name == name {
			return n.N
		}
	}
	return 0
}

func cloneArrival(a sansio.Arrival) sansio.Arrival {
	a.Train.Header, a.Train.Body = bytes.Clone(a.Train.Header), bytes.Clone(a.Train.Body)
	return a
}

// atpEngine is either program.
type atpEngine interface {
	dataplane.Managed
	Forget(units.Time) int
}

var _ = []atpEngine{(*Engine)(nil), (*reference.Engine)(nil)}
