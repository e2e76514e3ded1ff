package chassis

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wireswitch "github.com/inalab/inalab/internal/wire/switchml"
	wiretrio "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	referenceswitch "github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/switchd/program/trioml"
	referencetrio "github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

const hundredG = 100 * units.GbitPerSecond

// delivery is one frame on one wire.
type delivery struct {
	At    units.Time
	Port  sansio.Port
	Frame []byte
}

// rig drives a chassis as its contract allows at worst: the memory of arrivals
// is overwritten as soon as the effects were carried out.
type rig struct {
	t   testing.TB
	c   *Chassis
	eff sansio.Effects
	out []delivery

	lend *sansio.Effects // lends the bodies of arrivals in memory that can be kept; nil: they are borrowed
}

// keeping has bodies in memory that can be kept, as under the virtual clock.
func (r *rig) keeping() {
	r.eff.Keeping, r.lend = true, &sansio.Effects{Keeping: true}
}

func newRig(t testing.TB, cfg Config) *rig {
	t.Helper()
	c, err := New(cfg, newEngine, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, c: c}
}

func (r *rig) handle(now units.Time, in ...sansio.Arrival) {
	r.t.Helper()
	r.until(now)
	copies := make([]sansio.Arrival, len(in))
	for i, a := range in {
		copies[i] = a
		copies[i].Train.Header = bytes.Clone(a.Train.Header)
		if r.lend == nil {
			copies[i].Train.Body = bytes.Clone(a.Train.Body)
			continue
		}
		copies[i].Train.Body = append(r.lend.Body(len(a.Train.Body))[:0], a.Train.Body...)
		copies[i].Train.Memory = r.lend.Owner(copies[i].Train.Body)
	}
	r.c.Handle(now, copies, &r.eff)
	r.carryOut(now)
	for _, a := range copies {
		scribble(a.Train.Header)
		if r.lend == nil {
			scribble(a.Train.Body)
		}
	}
	clear(copies)
	if r.lend != nil {
		r.lend.Reset()
		scribble(r.lend.Body(1 << 18)) // what nobody keeps
		r.lend.Reset()
	}
}

func scribble(b []byte) {
	for i := range b {
		b[i] = 0xee
	}
}

func (r *rig) carryOut(now units.Time) {
	for _, s := range r.eff.Sends {
		for _, to := range s.To {
			for i := range s.Train.Frames() {
				f := s.Train.Frame(i, nil)
				r.out = append(r.out, delivery{now, to, append(bytes.Clone(f.Header), f.Body...)})
			}
		}
	}
	r.eff.Reset()
}

// until runs the chassis to an instant, that included.
func (r *rig) until(end units.Time) {
	r.t.Helper()
	for calls := 0; r.c.NextDeadline() <= end; calls++ {
		if calls > 1e5 {
			r.t.Fatal("the chassis does not come to rest")
		}
		now := r.c.NextDeadline()
		r.c.Expire(now, &r.eff)
		r.carryOut(now)
	}
}

// take returns what was delivered since the last call.
func (r *rig) take() []delivery {
	out := r.out
	r.out = nil
	return out
}

// from addresses a UDP packet of a host to the router.
func from(h *plan.Host, dport uint16) inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC),
		Src: h.Addr.Addr(), Dst: h.Gateway, SrcPort: 5000 + uint16(h.Index), DstPort: dport,
	}
}

// trainOf makes a train of UDP packets of equal size.
func trainOf(f inet.Flow, payloads ...[]byte) sansio.Train {
	h := inet.UDPHeader(f)
	body := bytes.Join(payloads, nil)
	inet.SetUDPBody(h, len(body))
	sansio.FillPartial(h, len(body))
	return sansio.Train{Header: h, Body: body, Seg: len(payloads[0]), Checksum: sansio.ChecksumPartial}
}

func values(b []byte) (out []int32) {
	for ; len(b) > 0; b = b[4:] {
		out = append(out, int32(binary.BigEndian.Uint32(b)))
	}
	return out
}

// value is what source s sends as element i of block b.
func value(s, b, i int) int32 { return int32(1000*s + 100*b + i - 1500) }

func gradients(s, b, n int) (out []byte) {
	for i := range n {
		out = binary.BigEndian.AppendUint32(out, uint32(value(s, b, i)))
	}
	return out
}

// sumOf is the sum of a block over sources.
func sumOf(sources []int, b, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		for _, s := range sources {
			out[i] += value(s, b, i)
		}
	}
	return out
}

// trioPacket is a block of n gradients of one source.
func trioPacket(s, b, n int) []byte {
	p := make([]byte, wiretrio.HeaderLen)
	wiretrio.Header{Job: 7, Block: uint32(b), Source: uint8(s), SrcCnt: 1, Grads: uint16(n)}.Put(p)
	return append(p, gradients(s, b, n)...)
}

func trioTrain(h *plan.Host, n int, blocks ...int) sansio.Arrival {
	var packets [][]byte
	for _, b := range blocks {
		packets = append(packets, trioPacket(h.Index, b, n))
	}
	return sansio.Arrival{Port: sansio.Port(h.SwitchPort), Train: trainOf(from(h, wiretrio.Port), packets...)}
}

// programmed is a configuration whose programs can still be changed.
type programmed struct {
	Config
	TrioML   []trioml.Config
	SwitchML *switchml.Config
}

// config writes the programs into the configuration.
func (p programmed) config() Config {
	for _, t := range p.TrioML {
		p.Programs = append(p.Programs, encoded(t))
	}
	if p.SwitchML != nil {
		p.Programs = append(p.Programs, encoded(p.SwitchML))
	}
	return p.Config
}

func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return text
}

// newEngine makes the engine of either kind of program.
func newEngine(_ string, config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	var sml switchml.Config
	if strictjson.Decode(config, &sml) == nil {
		sml.Trace = sink
		return referenceswitch.New(sml)
	}
	var trio trioml.Config
	if err := strictjson.Decode(config, &trio); err != nil {
		return nil, err
	}
	trio.Trace = sink
	return referencetrio.New(trio)
}

// trioConfig is the paper's hierarchy: the PFEs with hosts aggregate those,
// the top one aggregates the PFEs and sends to the group of all hosts.
func trioConfig(p *plan.Plan) programmed {
	sw := p.Switches[0]
	top := sw.Chassis.Top
	group := plan.Group(0)
	out := inet.Flow{SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MulticastMAC(group), Src: sw.Router, Dst: group, SrcPort: wiretrio.Port, DstPort: wiretrio.Port}
	cfg := programmed{Config: Config{Switch: sw, MTU: p.MTU, Seed: 1}, TrioML: make([]trioml.Config, len(sw.Chassis.PFEs))}
	atTop := trioml.Job{ID: 7, Out: out}
	for i := range p.Hosts {
		atTop.To = append(atTop.To, sansio.Port(p.Hosts[i].SwitchPort))
	}
	for i, pfe := range sw.Chassis.PFEs {
		job := trioml.Job{ID: 7, Out: out, OutSource: uint8(i), To: []sansio.Port{dataplane.Fabric(top)}}
		for h := range p.Hosts {
			if sw.Ports[p.Hosts[h].SwitchPort].PFE == i {
				job.Sources = append(job.Sources, uint8(h))
			}
		}
		cfg.TrioML[i].Node = sw.Name + "/" + pfe.Name
		if len(job.Sources) > 0 {
			cfg.TrioML[i].Jobs = []trioml.Job{job}
			atTop.Sources = append(atTop.Sources, uint8(i))
		}
	}
	cfg.TrioML[top].Jobs = []trioml.Job{atTop}
	return cfg
}

func switchmlConfig(p *plan.Plan, slots int) programmed {
	sw := p.Switches[0]
	job := switchml.Job{ID: 1, Elements: 64, Slots: slots}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		job.Workers = append(job.Workers, switchml.Worker{MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Port: sansio.Port(h.SwitchPort)})
	}
	return programmed{Config: Config{Switch: sw, MTU: p.MTU, Seed: 1}, SwitchML: &switchml.Config{
		Node: sw.Name, Router: sw.Router, MAC: inet.MAC(sw.MAC), Jobs: []switchml.Job{job},
	}}
}

func switchmlTrain(h *plan.Host, slots ...int) sansio.Arrival {
	size, _ := wireswitch.SizeOf(64)
	var packets [][]byte
	for _, s := range slots {
		b := make([]byte, wireswitch.HeaderLen)
		wireswitch.Header{Type: wireswitch.TypeConsume, Size: size, Slot: uint16(s)}.Put(b)
		packets = append(packets, append(b, gradients(h.Index, s, 64)...))
	}
	return sansio.Arrival{Port: sansio.Port(h.SwitchPort), Train: trainOf(from(h, wireswitch.Port), packets...)}
}

// hostTrain is n packets of size bytes from one host to another of its subnet.
func hostTrain(a, b *plan.Host, n, size int) sansio.Arrival {
	f := from(a, 9)
	f.DstMAC, f.Dst = inet.MAC(b.MAC), b.Addr.Addr()
	packets := make([][]byte, n)
	for i := range packets {
		packets[i] = bytes.Repeat([]byte{byte(i + 1)}, size)
	}
	return sansio.Arrival{Port: sansio.Port(a.SwitchPort), Train: trainOf(f, packets...)}
}

func shaped(rate units.Rate) topo.LinkSpec {
	return topo.LinkSpec{Rate: rate, Delay: units.Microsecond}
}
