package reference

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// Malformed packets are counted under their reason and change nothing: the open
// slot completes as if they had not come.
func TestMalformedPackets(t *testing.T) {
	good := func() []byte { return vector{w: 1, values: val(2)}.payload() }
	with := func(at int, v byte) []byte { b := good(); b[at] = v; return b }
	for _, c := range []struct {
		reason  string
		payload []byte
	}{
		{string(wire.Short), good()[:9]},
		{string(wire.Short), nil},
		{string(wire.BadType), with(0, 0x21)},
		{string(wire.BadSize), with(0, 0x15)},
		{string(wire.Truncated), good()[:wire.HeaderLen+4*elements-1]},
		{string(wire.Oversized), append(good(), 0)},
		{switchml.DropWrongSize, append(with(0, 0x12), make([]byte, 4*elements)...)},
		{switchml.DropSlotRange, with(7, 1)},
		{switchml.DropSlotRange, with(6, 0x3f)},
		{switchml.DropDuplicate, vector{w: 0, values: val(9)}.payload()},
	} {
		b := newBench(t, testConfig(2, 1))
		b.send(vector{w: 0, values: val(40)})
		a := arrival(1, c.payload)
		if c.reason == switchml.DropDuplicate {
			a = arrival(0, c.payload)
		}
		b.wantDrop(b.handle(a))
		b.wantCounts(map[string]uint64{c.reason: 1, switchml.CountPackets: 2})
		b.wantMulticast(b.send(vector{w: 1, values: val(2)}), 42)
	}
}

func TestForeignFrames(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	b.send(vector{w: 0, values: val(40)})
	stranger := arrival(5, vector{values: val(1)}.payload(), vector{values: val(1)}.payload())
	b.wantDrop(b.handle(stranger))
	b.wantCounts(map[string]uint64{switchml.DropUnknownWorker: 2, switchml.CountPackets: 3})

	broken := arrival(1, vector{values: val(1)}.payload())
	inet.UDP(broken.Train.Header[inet.EtherLen+inet.IPv4Len:]).SetLen(3)
	b.wantDrop(b.handle(broken, sansio.Arrival{}))
	b.wantCounts(map[string]uint64{string(inet.BadUDPLength): 1, string(inet.ShortEther): 1, switchml.CountPackets: 5})

	// Nothing but UDP is claimed; if it comes all the same, it may have no ports.
	bare := arrival(1, vector{values: val(1)}.payload())
	bare.Train.Header = bare.Train.Header[:inet.EtherLen+inet.IPv4Len]
	bare.Train.Header[inet.EtherLen+9] = inet.ProtoICMP
	inet.IPv4(bare.Train.Header[inet.EtherLen:]).SetTotalLen(inet.IPv4Len + len(bare.Train.Body))
	b.wantDrop(b.handle(bare))
	b.wantCounts(map[string]uint64{switchml.DropNotUDP: 1, switchml.CountPackets: 6})
	b.wantMulticast(b.send(vector{w: 1, values: val(2)}), 42)
}

func FuzzHandle(f *testing.F) {
	good := arrival(1, vector{w: 1, values: val(2)}.payload())
	f.Add(good.Train.Header, good.Train.Body, good.Train.Seg)
	f.Add(good.Train.Header[:20], good.Train.Body, 100)
	f.Add([]byte{}, []byte{}, -1)
	f.Fuzz(func(t *testing.T, header, body []byte, seg int) {
		b := newBench(t, testConfig(2, 1))
		b.send(vector{w: 0, values: val(40)})
		b.p.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: body, Seg: seg}}}, &b.eff)
		b.eff.Reset()
		var dropped uint64
		for _, c := range b.p.Counters() {
			if c.Name != switchml.CountPackets && c.Name != switchml.CountResults && c.Name != switchml.CountAnswered {
				dropped += c.N
			}
		}
		var added uint64
		for _, e := range b.events {
			if e.Kind == "contribution" {
				added++
			}
		}
		if packets := b.count(switchml.CountPackets); packets != dropped+added+b.count(switchml.CountAnswered) {
			t.Fatalf("%d packets, %d added, %d dropped, %d answered", packets, added, dropped, b.count(switchml.CountAnswered))
		}
	})
}

func TestConfig(t *testing.T) {
	if _, err := New(testConfig(256, switchml.MaxSlots/64)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*switchml.Config)
		says   string
	}{
		"elements":       {func(c *switchml.Config) { c.Jobs[0].Elements = 128 }, "job 1 has 128 values a packet: use 64 or 256"},
		"no slots":       {func(c *switchml.Config) { c.Jobs[0].Slots = 0 }, "slots"},
		"too many slots": {func(c *switchml.Config) { c.Jobs[0].Slots = switchml.MaxSlots + 1 }, "slots"},
		"no workers":     {func(c *switchml.Config) { c.Jobs[0].Workers = nil }, "0 workers"},
		"257 workers":    {func(c *switchml.Config) { c.Jobs[0].Workers = testConfig(257, 1).Jobs[0].Workers }, "257 workers"},
		"same address":   {func(c *switchml.Config) { c.Jobs[0].Workers[1].Addr = c.Jobs[0].Workers[0].Addr }, "share an address"},
		"no router":      {func(c *switchml.Config) { c.Router = netip.Addr{} }, "router address"},
		"no address":     {func(c *switchml.Config) { c.Jobs[0].Workers[2].Addr = netip.Addr{} }, "worker 2"},
		"IPv6":           {func(c *switchml.Config) { c.Jobs[0].Workers[2].Addr = netip.MustParseAddr("fe80::1") }, "worker 2"},
		"pool":           {func(c *switchml.Config) { c.Pool = switchml.MaxSlots + 1 }, "pool of 8193 slots"},
		"small pool":     {func(c *switchml.Config) { c.Pool = 3 }, "job 1 wants 4 slots on tor, where 3 of 3 are left"},
		"same job": {func(c *switchml.Config) {
			c.Jobs = append(c.Jobs, switchml.Job{ID: 1, Elements: 64, Slots: 1, Workers: testConfig(4, 1).Jobs[0].Workers[3:]})
		}, "there is a job 1"},
		"same id": {func(c *switchml.Config) { c.Jobs[0].Workers[1].ID, c.Jobs[0].Workers[2].ID = 5, 5 }, "workers 1 and 2 share an id, 5"},
		"too many there": {func(c *switchml.Config) {
			c.Jobs = append(c.Jobs, switchml.Job{ID: 2, Elements: 64, Slots: 1, Workers: testConfig(5, 1).Jobs[0].Workers[3:], NumWorkers: 1})
		}, "2 of 1 workers"},
		"parent":         {func(c *switchml.Config) { c.Jobs = append(c.Jobs, below(switchml.Parent{})...) }, "job 2: its parent at invalid IP"},
		"parent, worker": {func(c *switchml.Config) { c.Jobs = append(c.Jobs, below(switchml.Parent{Addr: workerAddr(3)})...) }, "job 2: worker 0 at 10.0.0.3 is the parent"},
		"parent of two": {func(c *switchml.Config) {
			c.Jobs = append(append(c.Jobs, below(switchml.Parent{Addr: workerAddr(9)})...), switchml.Job{ID: 3, Elements: 64, Slots: 1, Workers: testConfig(5, 1).Jobs[0].Workers[4:], Parent: &switchml.Parent{Addr: workerAddr(9)}})
		}, "job 3: results from 10.0.0.9, UDP port 48864, are those of job 2"},
	} {
		cfg := testConfig(3, 4)
		c.change(&cfg)
		_, err := New(cfg)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}

// below is a job of one worker with a parent.
func below(u switchml.Parent) []switchml.Job {
	return []switchml.Job{{ID: 2, Elements: 64, Slots: 1, Workers: testConfig(4, 1).Jobs[0].Workers[3:], Parent: &u}}
}

// Blocks of zeros are blocks like others: the exponent that a host sends with them
// never wins, and any other is as good as any (§4.6).
func TestZerosAndExtremeExponents(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	for phase, c := range [][3]int8{{-128, -128, -128}, {-128, 127, 127}, {127, 127, 127}, {-128, -127, -127}} {
		v := vector{set: uint8(phase % 2), id: uint32(phase), values: val(0)}
		v.e0 = c[0]
		b.send(v)
		v.w, v.e0 = 1, c[1]
		out := b.send(v)
		b.wantMulticast(out, 0)
		if out[0].h.E0 != c[2] || out[0].h.E1 != 0 {
			t.Errorf("exponents %d and %d give %d", c[0], c[1], out[0].h.E0)
		}
	}
}

// Workers with many source ports do not grow the memory of templates.
func TestTemplatesAreBounded(t *testing.T) {
	b := newBench(t, testConfig(1, 1))
	for port := range uint16(1000) {
		a := arrival(0, vector{set: uint8(port % 2), values: val(int32(port))}.payload())
		inet.UDP(a.Train.Header[inet.EtherLen+inet.IPv4Len:]).SetPorts(port+1, wire.Port)
		b.p.Handle(0, []sansio.Arrival{a}, &b.eff)
		if got := inet.UDP(b.eff.Sends[0].Train.Header[inet.EtherLen+inet.IPv4Len:]).DstPort(); got != port+1 {
			t.Fatalf("the result of port %d goes to port %d", port+1, got)
		}
		b.eff.Reset()
	}
	if n := len(b.job().workers[0].templates); n > maxTemplates {
		t.Errorf("%d templates", n)
	}
}

// UDP is taken at its word: what its length leaves out of a frame is not there, and what
// it promises must be. Several frames of one train have one length for all.
func TestUDPLengths(t *testing.T) {
	good := vector{w: 1, values: val(2)}.payload()
	for _, c := range []struct {
		reason   string
		udp      int // more than it should be
		payloads [][]byte
	}{
		{string(wire.Truncated), -1, [][]byte{good}},
		{string(wire.Truncated), -len(good), [][]byte{good}},
		{string(inet.BadUDPLength), -len(good) - 1, [][]byte{good}},
		{string(inet.BadUDPLength), 1, [][]byte{good}},
		{string(wire.Oversized), 0, [][]byte{append(slices.Clone(good), 0)}},
		{string(wire.Truncated), -2, [][]byte{append(slices.Clone(good), 0)}},
		{string(wire.Oversized), -1, [][]byte{append(slices.Clone(good), 0)}},
		{switchml.CountResults, 0, [][]byte{good}},
		{switchml.CountResults, 0, [][]byte{good, good}},
	} {
		b := newBench(t, testConfig(2, 1))
		b.send(vector{w: 0, values: val(40)})
		a := arrival(1, c.payloads...)
		h := inet.UDP(a.Train.Header[inet.EtherLen+inet.IPv4Len:])
		h.SetLen(h.Len() + c.udp)
		b.handle(a)
		if got := b.count(c.reason); got != 1 {
			t.Errorf("length %+d of %d frames: want %s, got %v", c.udp, len(c.payloads), c.reason, b.p.Counters())
		}
	}
}
