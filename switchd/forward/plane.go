package forward

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Plane forwards frames between the ports of one switch, which are numbered as
// in its plan. It belongs to one goroutine. Its maps are looked up, never
// ranged over.
type Plane struct {
	mac    inet.MAC
	router [4]byte
	mtu    int // longest frame, Ethernet header included

	ports  []port
	hosts  []sansio.Port // ports towards hosts
	byMAC  map[inet.MAC]sansio.Port
	byAddr map[[4]byte]neighbor
	subnet cidr // of the hosts; matches nothing where there are none
	fib    fib
	groups map[[4]byte]*group

	icmp    limiter
	scratch []byte // header of one frame of a train
	count   sansio.Tally
}

// maxHeader is the longest header of a train of several frames: Ethernet, IPv4
// and TCP with all their options.
const maxHeader = inet.EtherLen + 60 + 60

type port struct {
	wired, host bool
	mac         inet.MAC
	self        []sansio.Port // this port alone, as a destination
}

type neighbor struct {
	mac  inet.MAC
	port sansio.Port
}

// New returns the forwarding plane of a switch.
func New(cfg Config) (*Plane, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.MTU == 0 {
		cfg.MTU = topo.DefaultMTU
	}
	sw := &cfg.Switch
	p := &Plane{
		mac:    inet.MAC(sw.MAC),
		router: sw.Router.As4(),
		mtu:    inet.EtherLen + cfg.MTU,
		byMAC:  make(map[inet.MAC]sansio.Port, len(sw.Neighbors)),
		byAddr: make(map[[4]byte]neighbor, len(sw.Neighbors)),
		subnet: cidrOf(sw.Subnet),
		fib:    newFIB(sw.Routes, cfg.Seed.Stream("ecmp/"+sw.Name).Uint64()),
		groups: make(map[[4]byte]*group, len(cfg.Groups)),

		scratch: make([]byte, 0, maxHeader),
	}
	for _, sp := range sw.Ports {
		p.addPort(sp)
	}
	for _, n := range sw.Neighbors {
		at := sansio.Port(n.Port)
		p.byMAC[inet.MAC(n.MAC)] = at
		p.byAddr[n.Addr.As4()] = neighbor{mac: inet.MAC(n.MAC), port: at}
	}
	for _, g := range cfg.Groups {
		p.setGroup(g)
	}
	return p, nil
}

func (p *Plane) addPort(sp plan.Port) {
	at := sansio.Port(sp.Index)
	host := sp.Wired && sp.PeerHost != plan.None
	p.ports = append(p.ports, port{wired: sp.Wired, host: host, mac: inet.MAC(sp.MAC), self: []sansio.Port{at}})
	if host {
		p.hosts = append(p.hosts, at)
	}
}

// Forward sends the train that came in by a port on its way. Sends borrow the
// train and memory of eff.
func (p *Plane) Forward(now units.Time, in sansio.Arrival, eff *sansio.Effects) {
	h := in.Train.Header
	switch {
	case in.Port < 0 || int(in.Port) >= len(p.ports) || !p.ports[in.Port].wired:
		p.drop(DropUnknownPort, in.Train)
		return
	case len(h) >= inet.EtherLen && inet.Ether(h).Type() == inet.TypeARP:
		p.arp(in, eff)
		return
	}
	l, problem := in.Train.Layout()
	switch {
	case problem == inet.Fragment: // only hosts put packets together again
		l = inet.Layout{Transport: inet.EtherLen + inet.IPv4(h[inet.EtherLen:]).HeaderLen()}
	case problem != inet.OK:
		p.drop(string(problem), in.Train)
		return
	}
	switch dst := inet.Ether(h).Dst(); {
	case p.overMTU(&in.Train):
		p.drop(DropOverMTU, in.Train)
	case dst == inet.BroadcastMAC:
		p.drop(DropBroadcast, in.Train)
	case dst.IsMulticast():
		p.multicast(in, eff)
	case p.ownMAC(in.Port, dst):
		p.routed(now, in, l, eff)
	default:
		p.bridge(in, dst, eff)
	}
}

// Owns reports whether a train whose layout [inet.ParseHeader] accepted is for
// the switch itself: to its MAC, or that of the port it came by, to its router
// address, and no longer than a link carries.
func (p *Plane) Owns(at sansio.Port, t *sansio.Train) bool {
	h := t.Header
	return p.ownMAC(at, inet.Ether(h).Dst()) && [4]byte(h[inet.EtherLen+16:]) == p.router && !p.overMTU(t)
}

func (p *Plane) overMTU(t *sansio.Train) bool { return t.FrameBytes(0) > units.Bytes(p.mtu) }

// Count is one counter and what it says.
type Count struct {
	sansio.Count
	Lost bool // frames that went nowhere, other than noise
}

// Counters returns frames by what became of them, for all that were not simply
// forwarded, sorted by name.
func (p *Plane) Counters() []Count {
	list := p.count.List()
	out := make([]Count, len(list))
	for i, c := range list {
		out[i] = Count{Count: c, Lost: !answered(c.Name) && !Noise(c.Name)}
	}
	return out
}

// ownMAC reports whether a frame to mac that came in by a port is for the
// switch: neighbours that are switches use the port's MAC, hosts the switch's.
func (p *Plane) ownMAC(at sansio.Port, mac inet.MAC) bool {
	return mac == p.mac || mac == p.ports[at].mac
}

func (p *Plane) drop(reason string, t sansio.Train) { p.count.Add(reason, uint64(t.Frames())) }
