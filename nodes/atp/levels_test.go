package atp

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// deepConfig is a worker whose switch has the second of four levels.
func deepConfig() Config {
	cfg := testConfig(0, 2, 1)
	cfg.Integers = true
	s := &cfg.Servers[0]
	s.Flow.SrcPort, s.Flow.DstPort = wire.DeepPort, wire.DeepPort
	s.Bitmaps, s.FanIns = [2]uint32{1, 4}, [2]uint8{1, 3}
	s.Upper = wire.Upper{Levels: 4, Level: 1, Bitmaps: [4]uint32{1, 2}, FanIns: [4]uint8{1, 2}}
	return cfg
}

// A worker of more than two levels says its bits at all of them, sends again what it sent but for the flag, and takes
// parameters with as many levels alone.
func TestDeepWorker(t *testing.T) {
	cfg := deepConfig()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	c.BeginInts(0, 0, make([]int32, cfg.Tensor), &eff)
	h, port := headerOf(t, &eff)
	want := wire.Header{Bitmaps: cfg.Servers[0].Bitmaps, FanIns: cfg.Servers[0].FanIns, Upper: cfg.Servers[0].Upper, Job: 1, Sequence: 1, Index: h.Index, Flags: wire.EdgeSwitch}
	if h != want || port != wire.DeepPort {
		t.Errorf("%+v to port %d, want %+v", h, port, want)
	}
	c.Expire(c.NextDeadline(), &eff)
	if again, _ := headerOf(t, &eff); again.Flags != wire.EdgeSwitch|wire.Resend || again.Upper != want.Upper {
		t.Errorf("sent again: %+v", again)
	}
	for _, levels := range []uint8{3, 4} { // once one is taken, others are late
		p := wire.Header{Job: 1, Sequence: 1, Index: h.Index, FanIns: [2]uint8{1, 1}, Flags: wire.IsAck, Upper: wire.Upper{Levels: levels, FanIns: [4]uint8{1, 1}}}
		body := make([]byte, wire.DeepPayloadLen(int(levels)))
		p.Put(body)
		header := inet.UDPHeader(inet.Flow{Src: serverAddr(0), Dst: groupAddr(), SrcPort: wire.DeepPort, DstPort: wire.DeepPort})
		before := sansio.CountOf(c.Counters(), CountParameters)
		c.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: body}}}, &eff)
		if got := sansio.CountOf(c.Counters(), CountParameters) > before; got != (levels == 4) {
			t.Errorf("parameters of %d levels are taken: %v", levels, got)
		}
	}
}

// headerOf returns the header of the first frame of some effects, and its port.
func headerOf(t *testing.T, eff *sansio.Effects) (h wire.Header, port uint16) {
	t.Helper()
	if len(eff.Sends) == 0 {
		t.Fatal("nothing is sent")
	}
	f := eff.Sends[0].Train.Frame(0, nil)
	if problem := h.ReadDeep(f.Body, f.Unstored); problem != wire.OK {
		t.Fatalf("%s is sent", problem)
	}
	_, udp, _ := f.UDP()
	port = udp.DstPort()
	eff.Reset()
	return h, port
}

func TestDeepConfigurationsAreRefused(t *testing.T) {
	for want, change := range map[string]func(*Server){
		"first switch at level 4 of 4":                    func(s *Server) { s.Upper.Level = 4 },
		"first switch at level 1 of 7":                    func(s *Server) { s.Upper.Levels = 7 },
		"first switch at level 1 of 2":                    func(s *Server) { s.Upper.Levels = 2 },
		"bitmap 0x0 of level 3":                           func(s *Server) { s.Upper.Bitmaps[1] = 0 },
		"fan-in 33 of level 2":                            func(s *Server) { s.Upper.FanIns[0] = 33 },
		"bitmap 0x2 and fan-in 1 of level 0 for a worker": func(s *Server) { s.Bitmaps[0] = 2 },
		"direct and a header of 4 levels":                 func(s *Server) { s.Direct = true },
		"UDP port 17000 of server 0: ATP has port 17001":  func(s *Server) { s.Flow.DstPort = wire.Port },
	} {
		cfg := deepConfig()
		change(&cfg.Servers[0])
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	two := testConfig(0, 2, 2)
	two.Servers[1].Upper = deepConfig().Servers[0].Upper
	if _, err := New(two); err == nil || !strings.Contains(err.Error(), "headers of 0 and 4 levels") {
		t.Errorf("%v", err)
	}
}

// A worker of more than two levels that was started again asks where to go on with a packet of as many levels, and
// goes by the bits of its set-up when it is told. All set-ups have as many levels.
func TestDeepWorkerJoins(t *testing.T) {
	cfg := deepConfig()
	cfg.Integers, cfg.Setup, cfg.Cut = false, 1, cfg.Tensor
	moved := cfg.Servers[0]
	moved.Bitmaps, moved.FanIns, moved.Upper.Level = [2]uint32{2, 1}, [2]uint8{2, 1}, 0
	cfg.Setups = []Setup{{33, []Server{moved}}}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Resume(0)
	var eff sansio.Effects
	c.Begin(0, 0, make([]float32, cfg.Tensor), &eff)
	want := wire.Header{Bitmaps: moved.Bitmaps, FanIns: moved.FanIns, Upper: moved.Upper, Job: 33, Sequence: 1, Flags: wire.Overflow}
	if h, port := headerOf(t, &eff); h != want || !h.Flags.Joins() || port != wire.DeepPort {
		t.Errorf("asks by %+v to port %d, want %+v", h, port, want)
	}
	on := wire.Header{Job: 33, Sequence: 3, FanIns: [2]uint8{1, 1}, Flags: wire.GoOn, Upper: wire.Upper{Levels: 4, FanIns: [4]uint8{1, 1}}}
	body := make([]byte, wire.DeepPayloadLen(4))
	on.Put(body)
	header := inet.UDPHeader(inet.Flow{Src: serverAddr(0), Dst: groupAddr(), SrcPort: wire.DeepPort, DstPort: wire.DeepPort})
	c.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: body}}}, &eff)
	h, _ := headerOf(t, &eff)
	if want.Sequence, want.Flags, want.Index = 3, 0, h.Index; h != want {
		t.Errorf("goes on by %+v, want %+v", h, want)
	}
	cfg.Setups[0].Servers[0].Upper = wire.Upper{}
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "headers of 0 levels, and of 4 before") {
		t.Errorf("%v", err)
	}
}
