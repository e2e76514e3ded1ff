package live

import (
	"net/netip"
	"path/filepath"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/pktio/rawip"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo/plan"
)

// linkQuantum is how finely links deliver live. A finer one costs throughput: each
// delivery is a wake-up and a system call at both ends, and what is delivered
// together travels on together, as one train. Measured on two cores with six
// workers: with 20us the all-reduce takes twice as long as with 100us or 200us. Frames
// come at most this much late, half of it on average.
const linkQuantum = 100 * units.Microsecond

// LabSpec returns the namespaces and links of a plan: hosts have an address and
// a default route to their switch, switches have ports without addresses. Hosts
// know the MAC of their switch beforehand: until ARP has answered, the kernel
// keeps 212 KB of packets for an address (arp(7), unres_qlen_bytes) and drops
// the others, and the first window of a worker may be more.
func LabSpec(lab string, p *plan.Plan, offload bool) netns.Spec {
	spec := netns.Spec{Lab: lab, MTU: p.MTU}
	addr := map[string]netip.Prefix{}
	for _, sw := range p.Switches {
		spec.Nodes = append(spec.Nodes, netns.Node{Name: sw.Name})
	}
	for _, h := range p.Hosts {
		addr[h.Name] = h.Addr
		spec.Nodes = append(spec.Nodes, netns.Node{
			Name:      h.Name,
			Neighbors: []netns.Neighbor{{Addr: h.Gateway, MAC: h.GatewayMAC}},
			Routes:    []netns.Route{{Dst: netip.PrefixFrom(netip.IPv4Unspecified(), 0), Via: h.Gateway}},
		})
	}
	end := func(e plan.WireEnd) netns.End {
		return netns.End{Node: e.Node, Iface: e.Iface, MAC: e.MAC, Addr: addr[e.Node], Offload: offload}
	}
	for _, w := range p.Wires {
		spec.Wires = append(spec.Wires, netns.Wire{A: end(w.A), B: end(w.B)})
	}
	return spec
}

// switches returns the configuration of every switch's process. The private
// directory is below that of the lab, which is where control sockets are found.
func switches(s *job.Set, private string, plain bool) []daemon.Config {
	var out []daemon.Config
	masked, frames := false, 0
	for _, j := range s.Jobs {
		masked = masked || j.Layout.Partial && j.Elements == 0
		frames = max(frames, ringFrames(j))
	}
	frames = min(frames+flowFrames(s), afpacket.MaxRingFrames)
	for _, c := range s.Switches(linkQuantum) {
		d := daemon.Config{Chassis: c, Plain: plain, RingFrames: frames}
		d.Control = control.SocketPath(filepath.Dir(private), c.Switch.Name)
		if masked {
			d.TracePath = filepath.Join(private, c.Switch.Name+".trace")
		}
		out = append(out, d)
	}
	return out
}

// ringFrames returns how many frames a port of the switch buffers: on shaped
// links a host's whole window, each packet alone, twice over, since packets come
// singly there and the switch's process may have to wait for a processor. Of a host
// with byte streams it is what two of them, one each way, have by default, for each
// two. Frames of a protocol over IP come singly, whether a program in the kernel sends them or a
// raw socket, and their hosts have no window. Without a rate windows come as trains, and a short ring stays in the cache.
func ringFrames(j *job.Job) int {
	if j.Rate() == 0 {
		return afpacket.DefaultRingFrames
	}
	if j.Layout.Protocol != 0 {
		return afpacket.MaxRingFrames
	}
	streams := 0
	for _, peers := range j.Layout.Peers {
		streams = max(streams, len(peers))
	}
	frames := max(2*j.Layout.Window, afpacket.DefaultRingFrames*streams/2)
	return min(max(frames, afpacket.DefaultRingFrames), afpacket.MaxRingFrames)
}

// workers returns the configuration of every worker's process.
func workers(j *job.Job, private string, plain bool) []hostlive.WorkerConfig {
	var out []hostlive.WorkerConfig
	hosts := j.Hosts()
	for i, w := range j.Workers() {
		out = append(out, workerConfig(j, w, &hosts[i], private, plain))
	}
	return out
}

// workerConfig returns the configuration of the process of a worker on a host.
func workerConfig(j *job.Job, w worker.Config, h *plan.Host, private string, plain bool) hostlive.WorkerConfig {
	c := hostlive.WorkerConfig{Worker: w}
	if j.Elements == 0 {
		c.Tensors = tensors(private, w.Loop.Node)
	}
	if j.Trains() {
		c.Images = imagesFile(private)
	}
	if j.Layout.Peers != nil {
		c.TCP = tcpConfig(j, h)
		return c
	}
	c.Sockets = sockets(j, h, plain, j.Layout.Port, j.GroupsOf(h.Index))
	return c
}

// sockets are those of a host without byte streams: UDP at a port, and the protocol of the job.
func sockets(j *job.Job, h *plan.Host, plain bool, port uint16, groups []netip.Addr) hostlive.Sockets {
	c := udpConfig(h, plain, port)
	c.Groups, c.ECN = groups, j.Layout.ECN
	if p := j.Layout.Protocol; p != 0 {
		return hostlive.Sockets{Raw: &rawip.Config{Protocol: p, UDP: *c}}
	}
	return hostlive.Sockets{UDP: c}
}

// imagesFile is where workers find what they train on.
func imagesFile(private string) string { return filepath.Join(private, "images") }

func tensors(private, node string) string { return filepath.Join(private, node+".tensors") }

// udpConfig is the socket of a host at a port.
func udpConfig(h *plan.Host, plain bool, port uint16) *udp.Config {
	return &udp.Config{
		MAC: inet.MAC(h.MAC), PeerMAC: inet.MAC(h.GatewayMAC), Iface: h.Iface, Plain: plain,
		Bind: netip.AddrPortFrom(h.Addr.Addr(), port),
	}
}

// tcpConfig returns the byte streams of a host.
func tcpConfig(j *job.Job, h *plan.Host) *tcp.Config {
	c := &tcp.Config{
		Limit:    max(64*units.MiB, 8*units.Bytes(j.Params)), // a message waits whole, and the one that follows it
		QuietEOF: true,                                       // hosts end at different instants
	}
	for _, p := range j.Layout.Peers[h.Index] {
		c.Streams = append(c.Streams, tcp.Stream{
			Local:   netip.AddrPortFrom(h.Addr.Addr(), p.Local),
			Remote:  netip.AddrPortFrom(j.Plan.Hosts[p.Host].Addr.Addr(), p.Remote),
			Passive: p.Passive,
		})
	}
	return c
}

// server is a server's process, and the host that it is on.
type server struct {
	host string
	hostlive.ServerConfig
}

// servers returns the configuration of every server's process.
func servers(j *job.Job, plain bool) (out []server) {
	for _, s := range j.ServerConfigs() {
		c := hostlive.ServerConfig{Node: s.Name, System: j.System.Name(), Core: s.Core}
		if s.UDP > 0 {
			c.Sockets = sockets(j, &s.Host, plain, s.UDP, nil)
		} else {
			c.TCP = tcpConfig(j, &s.Host)
		}
		out = append(out, server{s.Host.Name, c})
	}
	return out
}
