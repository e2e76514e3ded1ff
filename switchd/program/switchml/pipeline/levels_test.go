package pipeline

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// rack is a switch with its hosts, a worker of the spine in every job.
type rack struct {
	*twin
	hosts []int // by port
	up    [][]byte
	down  [][]byte
}

// fabric is racks below a spine, every switch twice: a chip and the reference
// program. All wires hold frames until somebody says what becomes of them.
type fabric struct {
	t       *rapid.T // that draws
	tb      rapid.TB // that fails
	racks   []*rack
	spine   *twin
	clients []*client // by host
	jobs    int
	fifo    bool
	stress  bool
	hostUp  [][][]byte // payloads, by host
	hostDn  [][]sent
}

func rackAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 8, 0, byte(i)}) }
func rackMAC(i int) inet.MAC    { return inet.MAC{2, 8, 0, 0, 0, byte(i)} }

// spinePort is the port of a rack to the spine.
const spinePort sansio.Port = MaxPorts - 1

// firstOfFabric is the job byte of the first tensor: the next is of another quarter.
const firstOfFabric = quarter - 1

// channelOf is the UDP port of a job between switches.
func channelOf(job int) uint16 { return wire.Port + uint16(job) }

func newFabric(t *rapid.T) *fabric {
	fifo, jobs := rapid.Bool().Draw(t, "fifo"), rapid.IntRange(1, 2).Draw(t, "jobs")
	elements, slots := rapid.SampledFrom([]int{64, 256}).Draw(t, "elements"), rapid.IntRange(1, 2).Draw(t, "slots")
	var hosts [][]int
	for range rapid.IntRange(1, 3).Draw(t, "racks") {
		n := make([]int, jobs)
		for id := range n {
			n[id] = rapid.IntRange(1, 3).Draw(t, "hosts")
		}
		hosts = append(hosts, n)
	}
	f := fabricOf(t, elements, slots, hosts)
	f.t, f.fifo, f.stress = t, fifo, true
	return f
}

// fabricOf returns a fabric of so many hosts, by rack and job, that loses nothing.
func fabricOf(t rapid.TB, elements, slots int, hosts [][]int) *fabric {
	f := &fabric{tb: t, fifo: true, jobs: len(hosts[0])}
	top := bareConfig()
	for id := range f.jobs {
		top.Jobs = append(top.Jobs, switchml.Job{ID: uint8(id + 1), Elements: elements, Slots: slots, FirstByte: firstOfFabric})
	}
	for r, n := range hosts {
		cfg := switchml.Config{Node: fmt.Sprintf("leaf%d", r), Router: rackAddr(r), MAC: rackMAC(r)}
		k := &rack{}
		for id := range f.jobs {
			j := jobOf(uint8(id+1), elements, slots, len(f.clients), n[id])
			for i := range j.Workers {
				j.Workers[i].Port = sansio.Port(len(k.hosts))
				k.hosts = append(k.hosts, len(f.clients))
				f.clients = append(f.clients, &client{w: len(f.clients), elements: elements, perJob: 2, first: firstOfFabric, phase: make([]int, slots)})
			}
			j.FirstByte = firstOfFabric
			j.Parent = &switchml.Parent{MAC: switchMAC(), Addr: routerAddr(), Port: spinePort, UDP: channelOf(id)}
			cfg.Jobs = append(cfg.Jobs, j)
			top.Jobs[id].Workers = append(top.Jobs[id].Workers, switchml.Worker{ID: uint8(200 + r), MAC: rackMAC(r), Addr: rackAddr(r), Port: sansio.Port(r), UDP: channelOf(id)})
		}
		k.twin = newTwin(t, cfg, Options{})
		f.racks = append(f.racks, k)
	}
	f.spine = newTwin(t, top, Options{})
	f.hostUp, f.hostDn = make([][][]byte, len(f.clients)), make([][]sent, len(f.clients))
	return f
}

// jobOf returns the place of a host's job, and all hosts of it, in every rack.
func (f *fabric) jobOf(host int) (job int, peers []int) {
	for id := range f.jobs {
		peers = nil
		for _, k := range f.racks {
			for _, w := range k.e.cfg.Jobs[id].Workers {
				peers = append(peers, int(w.ID))
			}
		}
		if slices.Contains(peers, host) {
			return id, peers
		}
	}
	return 0, nil
}

// rackOf returns the rack of a host.
func (f *fabric) rackOf(host int) *rack {
	i := slices.IndexFunc(f.racks, func(k *rack) bool { return slices.Contains(k.hosts, host) })
	return f.racks[i]
}

// frameArrival is a frame as it comes by a port.
func frameArrival(port sansio.Port, frame []byte) sansio.Arrival {
	return sansio.Arrival{Port: port, Train: sansio.NewTrain(slices.Clone(frame), 0, sansio.ChecksumPartial)}
}

// spread puts what left a rack on its wires.
func (f *fabric) spread(k *rack, out []sent) {
	for _, s := range out {
		if s.port == spinePort {
			k.up = append(k.up, s.frame)
			continue
		}
		host := k.hosts[s.port]
		f.hostDn[host] = append(f.hostDn[host], s)
	}
}

// take takes a frame off a wire; fate says what becomes of it.
func (f *fabric) take(wire *[][]byte) (frame []byte, twice bool) {
	i := 0
	if !f.fifo {
		i = rapid.IntRange(0, len(*wire)-1).Draw(f.t, "overtakes")
	}
	frame = (*wire)[i]
	*wire = slices.Delete(*wire, i, i+1)
	if f.stress {
		switch rapid.IntRange(0, 11).Draw(f.t, "fate") {
		case 0:
			return nil, false
		case 1:
			return frame, true
		}
	}
	return frame, false
}

// rise takes a frame of a rack to the spine.
func (f *fabric) rise(i int) {
	k := f.racks[i]
	if len(k.up) == 0 {
		return
	}
	frame, twice := f.take(&k.up)
	for range times(frame, twice) {
		for _, s := range f.spine.give(frameArrival(sansio.Port(i), frame)) {
			f.racks[s.port].down = append(f.racks[s.port].down, s.frame)
		}
	}
}

// sink takes a frame of the spine to a rack.
func (f *fabric) sink(i int) {
	k := f.racks[i]
	if len(k.down) == 0 {
		return
	}
	frame, twice := f.take(&k.down)
	for range times(frame, twice) {
		f.spread(k, k.give(frameArrival(spinePort, frame)))
	}
}

func times(frame []byte, twice bool) int {
	switch {
	case frame == nil:
		return 0
	case twice:
		return 2
	}
	return 1
}

// send puts the packet of a host in a slot on its wire.
func (f *fabric) send(host, slot int) {
	if v := f.clients[host].packet(slot); len(f.hostUp[host]) < mostInFlight {
		f.hostUp[host] = append(f.hostUp[host], v.payload())
	}
}

// enter takes a packet of a host to its rack.
func (f *fabric) enter(host int) {
	if len(f.hostUp[host]) == 0 {
		return
	}
	k := f.rackOf(host)
	p, twice := f.take(&f.hostUp[host])
	for range times(p, twice) {
		a := arrivalOf(inet.Flow{SrcMAC: workerMAC(host), DstMAC: k.e.cfg.MAC, Src: workerAddr(host), Dst: k.e.cfg.Router, SrcPort: clientPort, DstPort: wire.Port},
			sansio.Port(slices.Index(k.hosts, host)), p)
		f.spread(k, k.give(a))
	}
}

// leave takes a result to its host.
func (f *fabric) leave(host int) {
	if len(f.hostDn[host]) == 0 {
		return
	}
	s := f.hostDn[host][0]
	f.hostDn[host] = f.hostDn[host][1:]
	if f.stress && rapid.IntRange(0, 9).Draw(f.t, "lost") == 0 {
		return
	}
	c := f.clients[host]
	if !c.waits(s) {
		return
	}
	slot := int(s.header().Slot)
	_, peers := f.jobOf(host)
	for i := range c.elements {
		want := int32(0)
		for _, p := range peers {
			want += value(p, slot, c.phase[slot], i)
		}
		if s.value(i) != want {
			f.tb.Fatalf("host %d, slot %d, phase %d, element %d: %d, want %d", host, slot, c.phase[slot], i, s.value(i), want)
		}
	}
	c.phase[slot]++
}

func (f *fabric) step() {
	host, i := rapid.IntRange(0, len(f.clients)-1).Draw(f.t, "host"), rapid.IntRange(0, len(f.racks)-1).Draw(f.t, "rack")
	switch rapid.IntRange(0, 7).Draw(f.t, "what") {
	case 0, 1:
		f.send(host, rapid.IntRange(0, len(f.clients[host].phase)-1).Draw(f.t, "slot"))
	case 2, 3:
		f.enter(host)
	case 4:
		f.rise(i)
	case 5:
		f.sink(i)
	default:
		f.leave(host)
	}
}

// heal loses nothing any more: every host gets on in every slot.
func (f *fabric) heal() {
	f.stress, f.fifo = false, true
	var before [][]int
	for _, c := range f.clients {
		before = append(before, slices.Clone(c.phase))
	}
	for range 3 {
		for host, c := range f.clients {
			for slot := range c.phase {
				f.send(host, slot)
			}
		}
		f.drain()
	}
	for host, c := range f.clients {
		for slot := range c.phase {
			if c.phase[slot] == before[host][slot] {
				f.tb.Fatalf("host %d is stuck in phase %d of slot %d", host, c.phase[slot], slot)
			}
		}
	}
}

// drain moves frames until all wires are empty.
func (f *fabric) drain() {
	for moved := true; moved; {
		moved = false
		for host := range f.clients {
			moved = moved || len(f.hostUp[host])+len(f.hostDn[host]) > 0
			f.enter(host)
			f.leave(host)
		}
		for i, k := range f.racks {
			moved = moved || len(k.up)+len(k.down) > 0
			f.rise(i)
			f.sink(i)
		}
	}
}

// §7: leaves send sums up and pass results down; a retransmission climbs until it
// meets the switch that has the result. Every switch does what the reference program
// does, and every result is the sum over all hosts of its job.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFabric(t)
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			f.step()
		}
		f.heal()
		f.spine.agree()
		for _, k := range f.racks {
			k.agree()
		}
	})
}
