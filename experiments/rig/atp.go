package rig

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/reference"
)

// atpServer is the address of the parameter server of ATP's rigs.
var atpServer = netip.AddrFrom4([4]byte{10, 0, 1, 1})

const atpJob = 1

// ATPConfig returns a switch with one job, to which it is the first edge switch (level 0) or the
// second (1): sources by their ports from 0 on, and the server behind them.
func ATPConfig(level, sources, aggregators int) program.Config {
	s := program.Server{Addr: atpServer, Ports: []sansio.Port{sansio.Port(sources)}}
	for i := range sources {
		s.Levels[level].Sources = append(s.Levels[level].Sources, program.Source{
			Bit: uint8(i), Ports: []sansio.Port{sansio.Port(i)}, Name: fmt.Sprint("w", i), Workers: []uint8{uint8(i)},
		})
	}
	return program.Config{Node: "tor", Aggregators: aggregators, Jobs: []program.Job{{ID: atpJob, Servers: []program.Server{s}}}}
}

// ATP is what aggregates in one switch at one level, the reference program or an emulated chip.
type ATP struct {
	sansiotest.Feed
	Err error // a packet that has different values, though all that came had equal ones

	level, sources int
	got            []ATPPacket
}

// ATPPacket is a packet that went on; all its values are as the first.
type ATPPacket struct {
	wire.Header
	Value int32
}

// NewATPOn returns a rig of what aggregates as [ATPConfig] says.
func NewATPOn(m sansio.Machine, level, sources int) *ATP {
	r := &ATP{level: level, sources: sources}
	r.Feed = sansiotest.Feed{Machine: m, Sent: r.take}
	return r
}

// Gradient hands over the packet of a source for a number, all of whose values are v, and returns what
// went on at once, valid until the next packet.
func (r *ATP) Gradient(source int, sequence uint32, index uint16, flags wire.Flags, v int32) []ATPPacket {
	h := wire.Header{Bitmaps: [2]uint32{1, 1}, Job: atpJob, Sequence: sequence, Index: index, FanIns: [2]uint8{1, 1}, Flags: flags}
	h.Bitmaps[r.level], h.FanIns[r.level] = 1<<source, uint8(r.sources)
	if r.level == 1 {
		h.Flags |= wire.EdgeSwitch
	}
	return r.send(sansio.Port(source), atpFlow(source), h, v)
}

func (r *ATP) send(port sansio.Port, flow inet.Flow, h wire.Header, v int32) []ATPPacket {
	r.got = r.got[:0]
	body := make([]byte, wire.HeaderLen, wire.PayloadLen)
	h.Put(body)
	for len(body) < wire.PayloadLen {
		body = binary.BigEndian.AppendUint32(body, uint32(v))
	}
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, len(body))
	inet.IPv4(header[inet.EtherLen:]).SetECN(inet.ECT0)
	sansio.FillPartial(header, len(body))
	t := sansio.Train{Header: header, Body: body, Seg: len(body), Checksum: sansio.ChecksumPartial}
	r.Arrive(r.Now, sansio.Arrival{Port: dataplane.Inbound(port), Train: t})
	return r.got
}

func (r *ATP) take(_ units.Time, s *sansio.Send) {
	for i := range s.Train.Frames() {
		var p ATPPacket
		b := s.Train.Payload(i)
		if problem := p.Read(b, 0); problem != wire.OK {
			r.Err = fmt.Errorf("a packet goes on that is none: %s", problem)
			return
		}
		p.Value = int32(binary.BigEndian.Uint32(b[wire.HeaderLen:]))
		for at := wire.HeaderLen; at < len(b); at += 4 {
			if int32(binary.BigEndian.Uint32(b[at:])) != p.Value {
				r.Err = fmt.Errorf("number %d: sums of equal values differ", p.Sequence)
			}
		}
		r.got = append(r.got, p)
	}
}

// atpFlow is from a worker to the server.
func atpFlow(w int) inet.Flow {
	return inet.Flow{SrcMAC: mac(w), DstMAC: inet.MAC{2, 1}, Src: Worker(w), Dst: atpServer, SrcPort: wire.Port, DstPort: wire.Port}
}

// atpSpan and atpTable are the packets in flight of a worker, and the aggregators, of a net of ATP.
const (
	atpSpan  = 64
	atpTable = 256
)

// ATPNet is a switch, the workers of one job and its server in memory, that sum tensors.
type ATPNet struct {
	Workers int
	Tensors func(w int) []float32
	Up      func(w int) *sansiotest.Wire // from a worker, or with w the number of workers from the switch to the server
	Down    func(w int) *sansiotest.Wire // to a worker

	Hosts  []*sansiotest.Host
	Server *atpps.Server
}

// Run runs to the end of every tensor.
func (n *ATPNet) Run() error {
	var net sansiotest.Network
	engine, err := reference.New(ATPConfig(0, n.Workers, atpTable))
	if err != nil {
		return err
	}
	if n.Server, err = atpps.New(n.server()); err != nil {
		return err
	}
	tor := net.Add(&atpForward{engine: engine, workers: n.Workers})
	for w := range n.Workers {
		grad := n.Tensors(w)
		core, err := host.New(n.worker(w, len(grad)))
		if err != nil {
			return err
		}
		h := &sansiotest.Host{Core: core, Tensors: [][]float32{grad}}
		n.Hosts = append(n.Hosts, h)
		net.Connect(net.Add(h), 0, tor, sansio.Port(w), n.Up(w), n.Down(w))
	}
	net.Connect(tor, sansio.Port(n.Workers), net.Add(n.Server), 0, n.Up(n.Workers), &sansiotest.Wire{Delay: units.Microsecond})
	if pending, err := net.Run(units.Time(3600 * units.Second)); pending || err != nil {
		return fmt.Errorf("%d workers: still busy after an hour: %w", n.Workers, err)
	}
	for w, h := range n.Hosts {
		if !h.Done() {
			return fmt.Errorf("nothing is pending, but worker %d is not done", w)
		}
	}
	return nil
}

func (n *ATPNet) worker(w, tensor int) host.Config {
	return host.Config{
		Node: fmt.Sprint("w", w), Worker: w, Workers: n.Workers, Job: atpJob, Tensor: tensor, Aggregators: atpTable, Span: atpSpan,
		Servers: []host.Server{{Flow: atpFlow(w), Bitmaps: [2]uint32{1 << w, 1}, FanIns: [2]uint8{uint8(n.Workers), 1}}},
	}
}

func (n *ATPNet) server() atpps.Config {
	rack := atpps.Rack{}
	for w := range n.Workers {
		rack.Workers = append(rack.Workers, uint8(w))
	}
	return atpps.Config{
		Node: "server", Workers: n.Workers, Job: atpJob, Span: atpSpan, Streams: wire.Split(wire.SequenceBits, 1), Aggregators: atpTable, Racks: []atpps.Rack{rack},
		Flow: inet.Flow{Src: atpServer, Dst: group, DstMAC: inet.MulticastMAC(group), SrcPort: wire.Port, DstPort: wire.Port},
	}
}

// atpForward is a switch whose program sees packets in transit: what goes on goes to the server, or to
// the group of workers.
type atpForward struct {
	engine  *reference.Engine
	workers int
	on      sansio.Effects
}

// Handle gives packets to the program, and forwards what it lets go on.
func (f *atpForward) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		a := sansio.Arrival{Port: dataplane.Inbound(in[i].Port), Train: in[i].Train}
		f.engine.Handle(now, []sansio.Arrival{a}, &f.on)
		to := []sansio.Port{sansio.Port(f.workers)}
		if int(in[i].Port) == f.workers {
			to = Ports(f.workers)
		}
		for k := range f.on.Sends {
			t := &f.on.Sends[k].Train
			for j := range t.Frames() {
				one := t.Frame(j, nil)
				one.Header, one.Body = bytes.Clone(one.Header), bytes.Clone(one.Body)
				eff.Send(to, one)
			}
		}
		f.on.Reset()
	}
}

// NextDeadline says that there is none.
func (f *atpForward) NextDeadline() units.Time { return units.Never }

// Expire does nothing.
func (f *atpForward) Expire(units.Time, *sansio.Effects) {}
