package atpps

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
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
