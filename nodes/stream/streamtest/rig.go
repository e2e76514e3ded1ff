package streamtest

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo"
)

// Options says what joins the hosts.
type Options struct {
	Transport stream.Transport
	MTU       int // zero means 9000
	Window    units.Bytes
	Delay     units.Duration // of a link, one way
	Rate      units.Rate     // of a link; zero: nothing waits
	Marking   topo.Marking   // of a link with a rate
	Loss      float64        // of a packet on a link
	Twice     float64        // share of packets that a link delivers twice
	Late      float64        // share of packets that come up to lateBy later, and so out of order
	Seed      rng.Root
}

// Host is a machine with the connections that it wants; peers are indexes of
// hosts.
type Host struct {
	Machine sansio.Machine
	Peers   []stream.Peer
}

// Rig is a network of hosts.
type Rig struct {
	sansiotest.Network
	Nodes  []*stream.Node
	Meters []*Meter
	Up     []*sansiotest.Wire // from each host to the switch

	opt  Options
	fate *rng.Stream
}

// lateBy bounds how much later than others a packet comes.
const lateBy = 50 * units.Microsecond

// Meter is a machine that counts the stream bytes of another.
type Meter struct {
	sansio.Machine
	Sent, Received int // bytes of streams, unstored ones included
	Messages       int // trains sent
}

// Handle counts what comes and what is sent.
func (m *Meter) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		m.Received += len(in[i].Train.Body) + in[i].Train.Unstored
	}
	m.Machine.Handle(now, in, eff)
	m.count(eff)
}

// Expire counts what is sent.
func (m *Meter) Expire(now units.Time, eff *sansio.Effects) {
	m.Machine.Expire(now, eff)
	m.count(eff)
}

func (m *Meter) count(eff *sansio.Effects) { // the node gives every call an empty batch
	for _, s := range eff.Sends {
		m.Messages += len(s.To)
		m.Sent += len(s.To) * (len(s.Train.Body) + s.Train.Unstored)
	}
}

// New joins the hosts.
func New(opt Options, hosts []Host) (*Rig, error) {
	opt.MTU = cmp.Or(opt.MTU, 9000)
	r := &Rig{opt: opt, fate: opt.Seed.Stream("fate")}
	hub := r.Add(hub{})
	for i, h := range hosts {
		m := &Meter{Machine: h.Machine}
		node, err := stream.New(config(opt, i, h.Peers), m)
		if err != nil {
			return nil, err
		}
		r.Nodes, r.Meters = append(r.Nodes, node), append(r.Meters, m)
		if err := r.join(hub, i, node); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func config(opt Options, host int, peers []stream.Peer) stream.Config {
	cfg := stream.Config{Node: fmt.Sprintf("h%d", host), MTU: opt.MTU, Transport: opt.Transport, Rate: opt.Rate, Window: opt.Window}
	for _, p := range peers {
		cfg.Connections = append(cfg.Connections, p.Connect(flow(host, p.Host)))
	}
	return cfg
}

func addr(h int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(h >> 8), byte(h)}) }

func flow(from, to int) inet.Flow {
	return inet.Flow{SrcMAC: inet.MAC{2, byte(from)}, DstMAC: inet.MAC{2, byte(to)}, Src: addr(from), Dst: addr(to)}
}

// join connects a host to the switch, through links where there is a rate.
func (r *Rig) join(hub sansiotest.NodeID, i int, node *stream.Node) error {
	id, port := r.Add(node), sansio.Port(i)
	up, down := r.wire(), r.wire()
	r.Up = append(r.Up, up)
	if r.opt.Rate == 0 {
		r.Connect(id, 0, hub, port, up, down)
		return nil
	}
	var links [2]sansiotest.NodeID
	for k := range links {
		l, err := impair.New(impair.Config{Name: fmt.Sprintf("h%d/%d", i, k), Params: impair.Params{Rate: r.opt.Rate, Marking: r.opt.Marking}})
		if err != nil {
			return err
		}
		links[k] = r.Add(l)
	}
	// A link takes from its port 1 and sends by port 0. Connect joins both ways;
	// the later call wins a port, so that the ways back lead nowhere.
	r.Connect(links[0], 0, hub, port, up, nil)
	r.Connect(links[1], 0, id, 0, down, nil)
	r.Connect(id, 0, links[0], 1, nil, nil)
	r.Connect(hub, port, links[1], 1, nil, nil)
	return nil
}

func (r *Rig) wire() *sansiotest.Wire {
	w := &sansiotest.Wire{Delay: r.opt.Delay}
	if r.opt.Loss > 0 {
		w.Drop = func(sansio.Train) bool { return r.fate.Bernoulli(r.opt.Loss) }
	}
	if r.opt.Twice > 0 || r.opt.Late > 0 {
		w.Copies = func(sansio.Train) []units.Duration { return r.copies() }
	}
	return w
}

// copies draws how often a packet is delivered, and how late each time.
func (r *Rig) copies() (out []units.Duration) {
	n := 1
	if r.fate.Bernoulli(r.opt.Twice) {
		n = 2
	}
	for range n {
		later := units.Duration(0)
		if r.fate.Bernoulli(r.opt.Late) {
			later = units.Duration(r.fate.IntN(int(lateBy)))
		}
		out = append(out, later)
	}
	return out
}

// Finish runs until nothing is left to do.
func (r *Rig) Finish() error {
	pending, err := r.Run(units.Time(10_000 * units.Second))
	if err == nil && pending {
		err = fmt.Errorf("at %v there is no end", r.Now())
	}
	return err
}

// hub is a switch: it forwards by destination address, back to where a packet
// came from too.
type hub struct{}

func (hub) NextDeadline() units.Time           { return units.Never }
func (hub) Expire(units.Time, *sansio.Effects) {}
func (hub) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for _, a := range in {
		to := inet.IPv4(a.Train.Header[inet.EtherLen:]).Dst().As4()
		eff.Send([]sansio.Port{sansio.Port(to[2])<<8 | sansio.Port(to[3])}, a.Train)
	}
}
