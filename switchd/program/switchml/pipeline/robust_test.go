package pipeline

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// Malformed packets are counted under the reasons of the reference program and
// change nothing: the open slot completes as if they had not come.
func TestMalformedPackets(t *testing.T) {
	first, second := packetOf(0, 0, 64), packetOf(1, 0, 64)
	good := func() []byte { return second.payload() }
	with := func(at int, v byte) []byte { b := good(); b[at] = v; return b }
	sized := func(code byte, elements int) []byte {
		return append(with(0, code)[:wire.HeaderLen], make([]byte, 4*elements)...)
	}
	for _, c := range []struct {
		reason  string
		payload []byte
	}{
		{string(wire.BadType), with(0, 0x21)},
		{string(wire.BadType), with(0, 0x01)},
		{string(wire.BadSize), with(0, 0x15)},
		{string(wire.Truncated), good()[:len(good())-1]},
		{string(wire.Truncated), with(0, 0x13)},
		{string(wire.Oversized), append(good(), 0)},
		{switchml.DropWrongSize, sized(0x10, 32)},
		{switchml.DropWrongSize, sized(0x12, 128)},
		{switchml.DropWrongSize, sized(0x13, 256)},
		{switchml.DropSlotRange, with(7, 1)},
		{switchml.DropSlotRange, with(6, 0x20)},
		{switchml.DropSlotRange, with(6, 0x3f)},
		{switchml.DropDuplicate, nil},
	} {
		w := newTwin(t, oneJob(64, 1, 2), Options{})
		w.give(arrivalOfVector(first))
		a := arrival(1, c.payload)
		if c.payload == nil {
			a = arrivalOfVector(first)
		}
		if out := w.give(a); len(out) != 0 || w.count(c.reason) != 1 {
			t.Errorf("%s: %d frames left, counters %v", c.reason, len(out), w.e.Counters())
		}
		w.give(arrivalOfVector(second))
		w.agree()
	}
}

// Frames whose headers tell other lengths than the frame has are dropped for the
// reference program's reasons.
func TestWrongLengths(t *testing.T) {
	for _, elements := range []int{64, 256} {
		good := inet.IPv4Len + inet.UDPLen + wire.HeaderLen + 4*elements
		for _, c := range []struct {
			reason          string
			trailing, total int
			udp             int // more than it should be
		}{
			{string(wire.Oversized), 4, good, 0},
			{string(wire.Oversized), 4, good + 4, 0},
			{string(wire.Oversized), 4, good + 4, 4},
			{string(wire.Truncated), 4, good + 4, -4},
			{string(wire.Truncated), 0, good, -1},
			{string(wire.Truncated), 0, good, -4 * elements},
			{string(wire.Truncated), 0, good, inet.IPv4Len - good + inet.UDPLen}, // no payload
			{string(inet.BadUDPLength), 0, good, inet.IPv4Len - good + inet.UDPLen - 1},
			{string(inet.BadUDPLength), 0, good, inet.IPv4Len - good},
			{string(inet.BadUDPLength), 0, good, 1},
			{string(inet.BadUDPLength), 4, good, 4},
			{string(inet.BadUDPLength), 0, good, 60000},
			{string(inet.BadUDPLength), 4, good - 1, 0},
			{string(inet.BadIPLength), 0, good + 1, 0},
			{string(inet.BadIPLength), 0, good + 1, 1},
			{string(inet.BadIPLength), 0, 0xffff, 0},
			{string(inet.BadIPLength), 0, 19, 0},
			{string(inet.BadIPLength), -4, good, 0},
			{string(inet.BadUDPLength), 0, good - 1, 0},
			{switchml.CountResults, 0, good, 0},
		} {
			w := newTwin(t, oneJob(elements, 1, 2), Options{})
			w.give(arrivalOfVector(packetOf(0, 0, elements)))
			w.give(misfit(packetOf(1, 0, elements), c.trailing, c.total, c.udp))
			if w.count(c.reason) != 1 {
				t.Errorf("%d values, %d more bytes, IP length %d of %d, UDP's %d more: want %s, got %v", elements, c.trailing, c.total, good, c.udp, c.reason, w.e.Counters())
			}
			w.give(arrivalOfVector(packetOf(1, 0, elements)))
			w.agree()
		}
	}
}

// misfit is a packet in a frame with more or fewer bytes, with another IP length, and
// with a UDP length that is more or less than it should be.
func misfit(v vector, trailing, total, udp int) sansio.Arrival {
	a := arrivalOfVector(v)
	a.Train.Body = append(a.Train.Body, make([]byte, max(0, trailing))...)
	a.Train.Body = a.Train.Body[:len(a.Train.Body)+min(0, trailing)]
	a.Train.Seg = len(a.Train.Body)
	inet.IPv4(a.Train.Header[inet.EtherLen:]).SetTotalLen(total)
	h := inet.UDP(a.Train.Header[inet.EtherLen+inet.IPv4Len:])
	h.SetLen(h.Len() + udp)
	return a
}

// The unused bits of a packet mean nothing and come back as zeros.
func TestUnusedBits(t *testing.T) {
	w := newTwin(t, oneJob(64, 1, 1), Options{})
	v := packetOf(0, 0, 64)
	b := v.payload()
	b[0] |= 1 << 3
	b[6] |= 1 << 6
	if out := w.give(arrival(0, b)); len(out) != 1 || out[0].frame[inet.UDPHeaders]&(1<<3) != 0 || out[0].frame[inet.UDPHeaders+6]&(1<<6) != 0 {
		t.Errorf("%d results, or bits that are not 0", len(out))
	}
}

// Packets of nobody, of a job that lacks workers, and frames too short for a header
// are counted drops.
func TestForeignFrames(t *testing.T) {
	cfg := oneJob(64, 1, 2)
	waiting := jobOf(2, 64, 1, 2, 1)
	waiting.NumWorkers, waiting.Workers[0].ID = 2, 0
	cfg.Jobs = append(cfg.Jobs, waiting)
	w := newTwin(t, cfg, Options{})
	w.give(arrivalOfVector(packetOf(0, 0, 64)))
	w.give(arrivalOfVector(packetOf(9, 0, 64)))
	w.give(arrivalOfVector(packetOf(2, 0, 64)))
	w.agree()
	for reason, n := range map[string]uint64{switchml.DropUnknownWorker: 1, switchml.DropIncomplete: 1} {
		if w.count(reason) != n {
			t.Errorf("%s: %d, want %d", reason, w.count(reason), n)
		}
	}
	short := packetOf(1, 0, 64)
	w.handle(0, arrival(1, short.payload()[:wire.HeaderLen-1]))
	if w.count(string(vm.TooShort)) != 1 {
		t.Errorf("%v", w.e.Counters())
	}
	w.handle(0, sansio.Arrival{Port: dataplane.Served, Train: arrivalOfVector(packetOf(1, 0, 64)).Train})
	if w.count(switchml.CountResults) != 1 {
		t.Errorf("a packet that came through a server is not taken: %v", w.e.Counters())
	}
}

// A worker of one job that breaks every rule does nothing to another job, whose
// workers get every sum.
func TestBadWorkersHurtTheirOwnJobAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs = []switchml.Job{jobOf(1, rapid.SampledFrom([]int{64, 256}).Draw(t, "elements"), 2, 0, 3)}
		bad := jobOf(2, rapid.SampledFrom([]int{64, 256}).Draw(t, "others' elements"), 3, 3, 2)
		cfg.Jobs = append(cfg.Jobs, bad)
		c := newChip(t, cfg, Options{})
		x := newTraffic(t, cfg.Jobs[:1], rapid.Bool().Draw(t, "fifo"))
		give := func(a sansio.Arrival) (out []sent) {
			for _, s := range c.handle(0, a) {
				if int(s.port) < len(x.clients) {
					out = append(out, s)
				}
			}
			return out
		}
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "bad") {
				if out := give(garbage(t)); len(out) != 0 {
					t.Fatalf("the bad job's packet is answered to %d", out[0].port)
				}
			}
			x.step(give)
		}
		x.heal(give)
	})
}

// garbage is a packet of a worker of job 2, or of a stranger, with anything in it.
func garbage(t *rapid.T) sansio.Arrival {
	w := rapid.IntRange(3, 5).Draw(t, "bad worker")
	v := vector{
		w: w, set: uint8(rapid.IntRange(0, 1).Draw(t, "set")), slot: uint16(rapid.IntRange(0, wire.MaxSlots-1).Draw(t, "slot")), id: rapid.Uint32().Draw(t, "id"),
		job: rapid.Byte().Draw(t, "job byte"), elements: rapid.SampledFrom([]int{32, 64, 128, 256}).Draw(t, "size"), value: func(i int) int32 { return int32(i) },
	}
	if rapid.Bool().Draw(t, "in its pool") {
		v.slot %= 3
	}
	p := v.payload()
	if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
		p = p[:rapid.IntRange(1, len(p)).Draw(t, "bytes")]
	}
	return arrival(w, p)
}

// What a configuration cannot have is said by name.
func TestConfigurationsThatAreRefused(t *testing.T) {
	for name, change := range map[string]func(*switchml.Config, *Options){
		"it must be an IPv4 address": func(c *switchml.Config, _ *Options) { c.Router = netip.Addr{} },
		"serve workers":              func(_ *switchml.Config, o *Options) { o.Ports = 17 },
		"pool of 8193 slots":         func(c *switchml.Config, _ *Options) { c.Pool = 8193 },
		"bitmap has 32 bits":         func(c *switchml.Config, _ *Options) { c.Jobs[0] = jobOf(1, 64, 1, 0, 33) },
		"share an address":           func(c *switchml.Config, _ *Options) { c.Jobs[0].Workers[1].Addr = workerAddr(0) },
		"share an id":                func(c *switchml.Config, _ *Options) { c.Jobs[0].Workers[2].ID = 1 },
		"wants 8193 slots":           func(c *switchml.Config, _ *Options) { c.Jobs[0].Slots = 8193 },
	} {
		cfg, o := oneJob(64, 1, 3), Options{}
		change(&cfg, &o)
		if _, err := New(cfg, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not say %q", err, name)
		}
	}
}
