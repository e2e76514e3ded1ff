package pipeline

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

var (
	_ dataplane.Engine  = (*Engine)(nil)
	_ dataplane.Managed = (*Engine)(nil)
	_ dataplane.Watched = (*Engine)(nil)
)

const clientPort uint16 = 4711

func workerAddr(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(w >> 8), byte(w)}) }

func routerAddr() netip.Addr { return netip.MustParseAddr("10.9.9.9") }

func workerMAC(w int) inet.MAC { return inet.MAC{2, 0, 0, 1, byte(w >> 8), byte(w)} }

func switchMAC() inet.MAC { return inet.MAC{2, 9, 9, 9, 9, 9} }

func bareConfig() switchml.Config {
	return switchml.Config{Node: "tor", Router: routerAddr(), MAC: switchMAC()}
}

// jobOf returns a job of workers from a number on, at the ports of these numbers.
func jobOf(id uint8, elements, slots, first, n int) switchml.Job {
	j := switchml.Job{ID: id, Elements: elements, Slots: slots}
	for w := first; w < first+n; w++ {
		j.Workers = append(j.Workers, switchml.Worker{ID: uint8(w), MAC: workerMAC(w), Addr: workerAddr(w), Port: sansio.Port(w % MaxPorts)})
	}
	return j
}

// oneJob is a configuration of one job of workers 0 to n-1.
func oneJob(elements, slots, n int) switchml.Config {
	cfg := bareConfig()
	cfg.Jobs = []switchml.Job{jobOf(1, elements, slots, 0, n)}
	return cfg
}

// vector is Algorithm 3's p(wid, ver, idx, off, vector).
type vector struct {
	w        int
	set      uint8
	slot     uint16
	id       uint32
	job      uint8
	e0, e1   int8
	elements int
	value    func(i int) int32
}

func (v *vector) payload() []byte {
	b := make([]byte, wire.HeaderLen, wire.HeaderLen+4*v.elements)
	size, _ := wire.SizeOf(v.elements)
	wire.Header{Type: wire.TypeConsume, Size: size, Job: v.job, PacketID: v.id, Set: v.set, Slot: v.slot, E0: v.e0, E1: v.e1}.Put(b)
	for i := range v.elements {
		b = binary.BigEndian.AppendUint32(b, uint32(v.value(i)))
	}
	return b
}

// value is what worker w has at element i in a phase of a slot.
func value(w, slot, phase, i int) int32 {
	x := uint64(w+1)<<48 ^ uint64(slot)<<36 ^ uint64(phase)<<16 ^ uint64(i)
	x *= 0x9e3779b97f4a7c15
	return int32(x >> 32)
}

func flowFrom(w int) inet.Flow {
	return inet.Flow{SrcMAC: workerMAC(w), DstMAC: switchMAC(), Src: workerAddr(w), Dst: routerAddr(), SrcPort: clientPort, DstPort: wire.Port}
}

// arrival wraps payloads of one worker into a train.
func arrival(w int, payloads ...[]byte) sansio.Arrival {
	a := arrivalOf(flowFrom(w), sansio.Port(w%MaxPorts), payloads...)
	inet.IPv4(a.Train.Header[inet.EtherLen:]).SetChecksum(0) // as the public client leaves it
	return a
}

func arrivalOf(f inet.Flow, port sansio.Port, payloads ...[]byte) sansio.Arrival {
	body := bytes.Join(payloads, nil)
	header := inet.UDPHeader(f)
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Port: port, Train: sansio.Train{Header: header, Body: body, Seg: len(payloads[0])}}
}

func cloneArrival(a sansio.Arrival) sansio.Arrival {
	a.Train.Header, a.Train.Body = bytes.Clone(a.Train.Header), bytes.Clone(a.Train.Body)
	return a
}

// sent is a frame that left.
type sent struct {
	at    units.Time
	port  sansio.Port
	frame []byte
}

func (s sent) header() wire.Header {
	h, _ := wire.Parse(s.frame[inet.UDPHeaders:])
	return h
}

func (s sent) value(i int) int32 {
	return int32(binary.BigEndian.Uint32(s.frame[inet.UDPHeaders+wire.HeaderLen+4*i:]))
}

// take lists the frames of effects, port by port, and resets them.
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
	slices.SortStableFunc(out, func(a, b sent) int { return int(a.port) - int(b.port) })
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

func newChip(t rapid.TB, cfg switchml.Config, o Options) *chip {
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

func (c *chip) send(v vector) []sent { return c.handle(0, arrival(v.w, v.payload())) }

func (c *chip) count(name string) uint64 { return countOf(c.e.Counters(), name) }

func countOf(list []sansio.Count, name string) uint64 {
	for _, n := range list {
		if n.Name == name {
			return n.N
		}
	}
	return 0
}

// shared returns the counters that the reference program has, too.
func shared(list []sansio.Count) (out []sansio.Count) {
	for _, c := range list {
		if strings.HasPrefix(c.Name, "bad-") || strings.HasPrefix(c.Name, "switchml-") && c.Name != CountAbsorbed {
			out = append(out, c)
		}
	}
	return out
}
