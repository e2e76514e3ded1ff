package atpps

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// again is a job of [twoRacks] whose worker 4 comes up in the second rack.
func again() Config {
	cfg := twoRacks()
	cfg.Setups = []Setup{{Job: 40, Group: netip.MustParseAddr("239.255.0.40"), Racks: []Rack{{Bit: 0, Workers: []uint8{0, 1}}, {Bit: 1, Workers: []uint8{2, 3, 4}}}}}
	return cfg
}

// Set-ups that cannot be are refused.
func TestSetupsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Setup){
		"has job id 7 again":              func(s *Setup) { s.Job = testJob },
		"must be an IPv4 group":           func(s *Setup) { s.Group = serverAddr },
		"set-up 1: racks have 3 of 5":     func(s *Setup) { s.Racks = s.Racks[1:] },
		"set-up 1: rack 1 has worker 9 o": func(s *Setup) { s.Racks[1].Workers = []uint8{2, 3, 9} },
	} {
		cfg := again()
		change(&cfg.Setups[0])
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := New(again()); err != nil {
		t.Error(err)
	}
}

// The first packet of a later set-up begins it: what is answered stays and is sent again under the new id, what is
// not is forgotten, and packets of the earlier set-up are dropped, though those sent again are told where to go on.
func TestSetUpAnew(t *testing.T) {
	s, err := New(again())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, server: s}
	var out []wire.Header
	r.feed.Machine = s
	r.feed.Sent = func(_ units.Time, send *sansio.Send) {
		for f := range send.Train.Frames() {
			var h wire.Header
			h.Read(send.Train.Payload(f), send.Train.Unstored)
			out = append(out, h)
		}
	}
	one := func(int, int) int32 { return 1 }
	give := func(cfg Config, sequence uint32, flags wire.Flags, workers ...uint8) []wire.Header {
		out = nil
		p := packetOf(&cfg, maskOf(workers...), sequence, flags).fill(maskOf(workers...), one)
		r.feed.Arrive(r.feed.Now, p.arrival())
		return out
	}
	old, next := again(), again()
	next.Job, next.Racks = next.Setups[0].Job, next.Setups[0].Racks
	give(old, 1, 0, 0, 1, 2, 3, 4)
	give(old, 2, 0, 0, 1)
	if got := give(next, 1, wire.Overflow, 4); len(got) != 1 || !got[0].Flags.GoesOn() || got[0].Job != 40 || got[0].Sequence != 2 {
		t.Fatalf("told %+v", got)
	}
	if got := give(old, 2, 0, 2, 3); len(got) != 0 {
		t.Errorf("a packet of the earlier set-up is answered by %+v", got)
	}
	if got := give(old, 2, wire.Resend, 2); len(got) != 1 || !got[0].Flags.GoesOn() {
		t.Errorf("one that was sent again by %+v", got)
	}
	if got := give(next, 1, wire.Resend, 0); len(got) != 1 || got[0].Job != 40 || got[0].Flags != wire.IsAck {
		t.Errorf("what was answered before by %+v", got)
	}
	give(next, 2, 0, 2, 3, 4)
	if got := give(next, 2, 0, 0, 1); len(got) != 1 || got[0].Job != 40 || got[0].Sequence != 2 || got[0].Flags != wire.IsAck {
		t.Errorf("complete, and answered by %+v", got)
	}
	for name, want := range map[string]uint64{CountSetups: 1, CountDropped: 1, DropEarlier: 2, CountGoOn: 2, CountAnswered: 2} {
		if got := r.counted(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

// deepAgain is a job of three levels whose worker 1 comes up beside worker 2, where three switches were on its way
// and two are.
func deepAgain() Config {
	return Config{
		Workers: 3, Job: 7, Levels: 3, Span: 4, Streams: wire.Split(wire.SequenceBits, 1),
		Flow:  inet.Flow{Src: deepServerAddr, Dst: deepGroup, DstMAC: inet.MulticastMAC(deepGroup), SrcPort: wire.DeepPort, DstPort: wire.DeepPort},
		Paths: [][]uint8{{0, 0, 0}, {0, 0, 1}, {0, 1}},
		Setups: []Setup{{
			Job: 39, Group: netip.MustParseAddr("239.255.0.39"), Paths: [][]uint8{{0, 0, 0}, {0, 2}, {0, 1}},
		}},
	}
}

// Of more than two levels, a set-up has a tree of its own: bits stand for whom they do there. What was answered is so
// in a packet of as many levels, and so is the packet that tells workers where to go on.
func TestSetUpAnewOfMoreLevels(t *testing.T) {
	s, err := New(deepAgain())
	if err != nil {
		t.Fatal(err)
	}
	give := func(h wire.Header) (out []wire.Header) {
		body := make([]byte, wire.DeepPayloadLen(int(h.Upper.Levels)))
		h.Put(body)
		flow := inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: deepServerAddr, SrcPort: wire.DeepPort, DstPort: wire.DeepPort}
		var eff sansio.Effects
		s.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: inet.UDPHeader(flow), Body: body}}}, &eff)
		for i := range eff.Sends {
			f := eff.Sends[i].Train.Frame(0, nil)
			var h wire.Header
			if problem := h.ReadDeep(f.Body, f.Unstored); problem != wire.OK {
				t.Fatalf("%s is sent", problem)
			}
			if ip, udp, _ := f.UDP(); ip.Dst() != s.cfg.Flow.Dst || udp.DstPort() != wire.DeepPort {
				t.Errorf("sent to %v, port %d", ip.Dst(), udp.DstPort())
			}
			out = append(out, h)
		}
		return out
	}
	of := func(id uint8, sequence uint32, bitmaps [3]uint32, next uint8, flags wire.Flags) wire.Header {
		h := *deepHeader(bitmaps, next, flags|wire.EdgeSwitch)
		h.Job, h.Sequence = id, sequence
		return h
	}
	if got := give(of(7, 1, [3]uint32{1, 3, 1}, 3, 0)); len(got) != 1 || got[0].Upper.Levels != 3 {
		t.Fatalf("complete, and answered by %+v", got)
	}
	give(of(7, 2, [3]uint32{3, 1, 1}, 1, wire.Resend))
	four := of(39, 1, [3]uint32{1, 4, 1}, 1, wire.Overflow)
	four.Upper.Levels, four.Upper.Bitmaps[1], four.Upper.FanIns[1] = 4, 1, 1
	if got := give(four); len(got) != 0 || s.setup != 0 {
		t.Fatalf("a packet of four levels sets the job up: %+v", got)
	}
	got := give(of(39, 1, [3]uint32{1, 4, 1}, 1, wire.Overflow))
	if len(got) != 1 || !got[0].Flags.GoesOn() || got[0].Job != 39 || got[0].Sequence != 2 || got[0].Upper.Levels != 3 {
		t.Fatalf("told %+v", got)
	}
	if got := give(of(39, 1, [3]uint32{1, 1, 1}, 3, wire.Resend)); len(got) != 1 || got[0].Job != 39 || got[0].Sequence != 1 || got[0].Flags != wire.IsAck || got[0].Upper.Levels != 3 {
		t.Errorf("what was answered before by %+v", got)
	}
	if got := give(of(39, 2, [3]uint32{1, 3, 1}, 3, 0)); len(got) != 0 {
		t.Errorf("the bits of all before are taken for all: %+v", got)
	}
	if got := give(of(39, 2, [3]uint32{1, 7, 1}, 3, 0)); len(got) != 1 || got[0].Sequence != 2 {
		t.Errorf("complete, and answered by %+v", got)
	}
}

// A set-up of more than two levels has paths as the first one has.
func TestDeepSetupsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Setup){
		"set-up 1: 0 paths of 3 workers":   func(s *Setup) { s.Paths = nil },
		"set-up 1: racks and paths":        func(s *Setup) { s.Racks = []Rack{{Workers: []uint8{0, 1, 2}}} },
		"set-up 1: 2 workers have one pla": func(s *Setup) { s.Paths[1] = s.Paths[2] },
	} {
		cfg := deepAgain()
		change(&cfg.Setups[0])
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	two := again()
	two.Setups[0].Racks, two.Setups[0].Paths = nil, deepAgain().Paths
	if _, err := New(two); err == nil || !strings.Contains(err.Error(), "set-up 1: ") {
		t.Errorf("paths where there are two levels: %v", err)
	}
}
