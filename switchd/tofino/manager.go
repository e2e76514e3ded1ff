package tofino

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// Node is a node of a multicast group: a copy for each of its ports, which the
// egress knows by the rid.
type Node struct {
	RID   uint16
	Ports []DevPort
}

// Mirror is where the copies of a mirror session go.
type Mirror struct {
	Port  DevPort
	Queue uint8
}

// manager is what the traffic manager is configured with. Its maps are looked up,
// never ranged.
type manager struct {
	groups     map[uint16][]Node
	exclusions map[uint16][]DevPort
	mirrors    map[uint16]Mirror
}

func newManager() manager {
	return manager{groups: map[uint16][]Node{}, exclusions: map[uint16][]DevPort{}, mirrors: map[uint16]Mirror{}}
}

// Limits of the traffic manager's tables.
const (
	maxQueue   = 1<<5 - 1  // ig.qid has 5 bits
	maxSession = 1<<10 - 1 // ig.mirror has 10 bits
)

// dropBit is the bit of ig.drop that drops the packet (TNA 5.6). Bit 1 stops copies to the CPU,
// which there are none of; bit 2 is reserved (TNA's include file).
const dropBit = 1 << 0

// SetGroup sets the nodes of a multicast group; 0 is a group like any other. The
// list is not to be changed afterwards.
func (c *Chip) SetGroup(group uint16, nodes []Node) error {
	for _, n := range nodes {
		for _, p := range n.Ports {
			if err := c.checkPort(p); err != nil {
				return fmt.Errorf("multicast group %d, rid %d: %w", group, n.RID, err)
			}
		}
	}
	c.manager.groups[group] = nodes
	return nil
}

// RemoveGroup takes a group out: what is sent to it is dropped and counted.
func (c *Chip) RemoveGroup(group uint16) { delete(c.manager.groups, group) }

// SetExclusion sets the ports that packets with this ig.xid, not 0, are not copied to.
func (c *Chip) SetExclusion(xid uint16, ports []DevPort) error {
	if xid == 0 {
		return fmt.Errorf("exclusion set 0: it stands for no exclusion, use 1 to 65535")
	}
	c.manager.exclusions[xid] = ports
	return nil
}

// SetMirror sets where the copies of a mirror session go.
func (c *Chip) SetMirror(session uint16, m Mirror) error {
	if session == 0 || session > maxSession {
		return fmt.Errorf("mirror session %d: 1 to %d are possible", session, maxSession)
	}
	if err := c.checkPort(m.Port); err != nil {
		return fmt.Errorf("mirror session %d: %w", session, err)
	}
	if m.Queue > maxQueue {
		return fmt.Errorf("mirror session %d: queue %d: 0 to %d are possible", session, m.Queue, maxQueue)
	}
	c.manager.mirrors[session] = m
	return nil
}

func (c *Chip) checkPort(p DevPort) error {
	if why := p.absent(c.cfg.Pipes); why != "" {
		return fmt.Errorf("port %v is not there: %s", p, why)
	}
	if c.ports[p] == nil {
		return fmt.Errorf("port %v is not in use: make it one of the chassis or put it in loopback mode", p)
	}
	return nil
}

// manage sends a packet where its ingress wants it.
func (c *Chip) manage(k *packet) {
	v := &k.verdict
	switch {
	case k.out.Mirrored != 0:
		c.toPort(k, DevPort(v.Port), v.Queue)
	case v.Resubmit:
		k.resubmitted, k.data = true, v.Data
		c.proceed(k, stepInput)
	case v.Multicast:
		c.multicast(k)
	case v.Unicast:
		c.toPort(k, DevPort(v.Port), v.Queue)
	default:
		c.drop(k, DropNoDestination)
	}
}

// mirror makes the copy of a packet for its session.
func (c *Chip) mirror(k *packet) {
	m, ok := c.manager.mirrors[k.verdict.Mirror]
	if !ok {
		c.count.Add(DropNoSession, 1)
		return
	}
	wait := units.Duration(0)
	if c.clock != nil {
		w, size := c.clock.mirrors[k.port.Pipe()], units.Bytes(c.original.Len())+units.EthernetFraming
		if w.full(c.now, size) {
			c.count.Add(DropMirror, 1)
			return
		}
		wait = w.pass(c.now, size)
	}
	n := c.newPacket()
	n.SetCopy(&c.original, MaxFrame)
	n.Bridge(&k.Packet)
	n.port, n.arrived, n.passes, n.partial, n.copied = k.port, k.arrived, k.passes, k.partial, true
	n.frame, n.marked = k.frame, k.marked
	n.verdict = vm.Verdict{Mirror: k.verdict.Mirror, Port: uint16(m.Port), Queue: m.Queue}
	n.out.Mirrored = k.verdict.Mirror
	c.stats.mirrored++
	c.proceedAfter(n, stepManager, wait)
}

// multicast makes the copies of a packet; a unicast one, if there is one, is the last.
func (c *Chip) multicast(k *packet) {
	v := &k.verdict
	nodes, ok := c.manager.groups[v.Group]
	if !ok {
		c.count.Add(DropNoGroup, 1)
		if !v.Unicast {
			c.end(k)
			return
		}
	}
	for i := range nodes {
		n := &nodes[i]
		if v.RID != 0 && n.RID == v.RID {
			continue
		}
		for _, p := range n.Ports {
			if !c.excludes(v.XID, p) {
				c.send(k, n.RID, p)
			}
		}
	}
	if v.Unicast {
		n := c.copyOf(k, c.front)
		n.verdict = *v
		c.toPort(n, DevPort(v.Port), v.Queue)
	} else {
		c.stats.replaced++
	}
	c.end(k)
}

// excludes reports whether a port is in an exclusion set; 0 is none.
func (c *Chip) excludes(xid uint16, p DevPort) bool {
	return xid != 0 && slices.Contains(c.manager.exclusions[xid], p)
}

// send makes one copy of a multicast packet.
func (c *Chip) send(k *packet, rid uint16, p DevPort) {
	n := c.copyOf(k, c.front)
	n.verdict = k.verdict
	n.out = vm.Out{RID: rid, Copy: true}
	c.stats.copies++
	c.toPort(n, p, n.verdict.Queue)
}

// toPort takes a packet to a queue of a port or, where there are none, on its way
// out.
func (c *Chip) toPort(k *packet, dev DevPort, queue uint8) {
	if dev >= MaxDevPorts || c.ports[dev] == nil {
		c.drop(k, DropNoPort)
		return
	}
	p := c.ports[dev]
	k.out.Port, k.queue = uint16(dev), queue
	if c.clock != nil {
		c.enqueue(k, p)
		return
	}
	if !c.egress(k, p) {
		return
	}
	p.sent(k)
	if p.kind == frontPort {
		c.emit(k, p)
		return
	}
	if k.reenter(p); c.inside > MaxInside {
		c.drop(k, DropBuffer)
		return
	}
	c.todo.push(k)
}

// proceed takes a packet to its next step: at once, or by an event.
func (c *Chip) proceed(k *packet, s step) { c.proceedAfter(k, s, 0) }

// proceedAfter is proceed for a packet that waits before; timed mode.
func (c *Chip) proceedAfter(k *packet, s step, wait units.Duration) {
	k.step = s
	switch {
	case c.clock != nil:
		c.clock.proceed(k, c.now.Add(wait))
	case s == stepManager:
		c.manage(k)
	default:
		c.todo.push(k)
	}
}

// sent counts a packet that leaves.
func (p *port) sent(k *packet) {
	p.stat.out++
	p.stat.outBytes += bytesOf(k)
}
