package reference

import (
	"fmt"
	"maps"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// RDMAProgram is the aggregation program of one switch for jobs of RDMA clients, beside
// which there may be jobs of UDP clients.
type RDMAProgram struct {
	*Program                        // which has the slots
	endpoints map[[4]byte]*endpoint // workers of RDMA jobs by address; looked up, never ranged
	inner     sansio.Effects        // of slots
	body      []byte                // scratch: a packet for slots
}

// NewRDMA returns the program of one switch that speaks RoCE, too.
func NewRDMA(cfg switchml.Config) (*RDMAProgram, error) {
	slots, err := newProgram(&cfg, switchml.Limits{Workers: switchml.MaxWorkers, UDP: true, RoCE: true})
	p := &RDMAProgram{Program: slots, endpoints: map[[4]byte]*endpoint{}}
	if err == nil {
		err = p.AddAll(cfg.Jobs, p.setUp)
	}
	if err != nil {
		return nil, fmt.Errorf("configuring switchml-rdma on %s: %w", cfg.Node, err)
	}
	return p, nil
}

// AddJob sets up a job as a [switchml.Job] says, of RDMA or of UDP clients. Its
// registers are as at power up.
func (p *RDMAProgram) AddJob(_ units.Time, d dataplane.Document) (uint8, error) {
	return p.Add(d, p.setUp)
}

func (p *RDMAProgram) setUp(e switchml.Entry) (*job, error) {
	j, err := p.newJob(e)
	if e.RDMA != nil {
		for i := range e.Workers {
			p.endpoints[e.Workers[i].Addr.As4()] = newEndpoint(&p.cfg, j, &e.Workers[i])
		}
	}
	return j, err
}

// RemoveJob takes a job out and gives its slots back.
func (p *RDMAProgram) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	maps.DeleteFunc(p.endpoints, func(_ [4]byte, m *endpoint) bool { return m.job.ID == id })
	return p.Program.RemoveJob(now, id)
}

func isRoCE(header []byte, l inet.Layout) bool {
	return l.Proto == inet.ProtoUDP && inet.UDP(header[l.Transport:]).DstPort() == roce.Port
}

// Handle takes the frames of the arrivals, those of UDP clients in runs.
func (p *RDMAProgram) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := 0; i < len(in); i++ {
		t := &in[i].Train
		l, problem := t.Layout()
		if problem == inet.OK && isRoCE(t.Header, l) {
			p.train(now, &in[i], eff)
			continue
		}
		if problem == inet.OK && p.endpoints[inet.IPv4(t.Header[inet.EtherLen:]).SrcBytes()] != nil {
			p.count.Add(switchml.DropRDMASpeaksUDP, uint64(t.Frames()))
			p.Dice(in[i].Port, false).Pass(t.Frames())
			continue
		}
		p.Program.Handle(now, in[i:i+1], eff)
	}
}

// train takes the frames of a train from a worker.
func (p *RDMAProgram) train(now units.Time, arrived *sansio.Arrival, eff *sansio.Effects) {
	t, dice := &arrived.Train, p.Dice(arrived.Port, false)
	p.count.Add(switchml.CountRDMAPackets, uint64(t.Frames()))
	m := p.endpoints[inet.IPv4(t.Header[inet.EtherLen:]).SrcBytes()]
	if m == nil {
		p.count.Add(switchml.DropRDMAUnknownWorker, uint64(t.Frames()))
		dice.Pass(t.Frames())
		return
	}
	for f := range t.Frames() {
		var in rdmaPacket
		reason := in.read(t.Header, t.Payload(f), t.Unstored, p.cfg.CheckICRC)
		if reason != switchml.DropRDMAICRC && dice.Lost() && m.job.Complete() {
			in, reason = rdmaPacket{}, switchml.DropArrival
			m.job.Counts.Dropped++
		}
		if reason == "" {
			reason = m.receive(&in, p.cfg.Faithful)
		}
		if reason != "" {
			p.dropRDMA(now, m, &in, reason)
			continue
		}
		p.aggregate(now, m, &in, eff)
	}
}

// aggregate hands a packet to its slot, and sends what comes of it.
func (p *RDMAProgram) aggregate(now units.Time, m *endpoint, in *rdmaPacket, eff *sansio.Effects) {
	p.body = in.payload(p.body[:0], m)
	arrival := [1]sansio.Arrival{{Port: dataplane.Served, Train: sansio.Train{Header: m.up, Body: p.body, Unstored: in.Unstored}}}
	p.Program.Handle(now, arrival[:], &p.inner)
	for i := range p.inner.Sends {
		t := &p.inner.Sends[i].Train
		to := p.endpoints[[4]byte(inet.IPv4(t.Header[inet.EtherLen:])[16:20])]
		for f := range t.Frames() {
			p.count.Add(p.send(to, in, packet{t.Payload(f), t.Unstored}, eff), 1)
		}
	}
	p.inner.Reset()
}

// send sends a worker what the slots answered to a packet, and returns the counter of what
// became of it. What is lost on its way out has a PSN, as in the chip.
func (p *RDMAProgram) send(to *endpoint, trigger *rdmaPacket, answer packet, eff *sansio.Effects) (counter string) {
	lost := p.Dice(to.to[0], true).Lost()
	psn, ok := to.number(trigger, p.cfg.Faithful)
	switch {
	case !ok:
		return switchml.CountRDMAHeldBack
	case lost:
		return switchml.DropDeparture
	}
	to.send(trigger, psn, answer, eff)
	return switchml.CountRDMASent
}

func (p *RDMAProgram) dropRDMA(now units.Time, m *endpoint, in *rdmaPacket, reason string) {
	p.count.Add(reason, 1)
	if p.cfg.Trace != nil {
		p.cfg.Trace.Event(&trace.Event{At: now, Kind: trace.Dropped, Node: p.cfg.Node, Job: m.job.ID, Gen: in.phase, Block: uint32(in.pair), Source: m.rank, Note: reason})
	}
}
