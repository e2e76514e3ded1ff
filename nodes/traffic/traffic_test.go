package traffic

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/meter"
)

const (
	us = units.Microsecond
	ms = units.Millisecond
)

func testFlow() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.1.0.1"), Dst: netip.MustParseAddr("10.1.0.2"), SrcPort: 20000, DstPort: 20000,
	}
}

func source(t rapid.TB, cfg SourceConfig) *Source {
	t.Helper()
	cfg.Flow = testFlow()
	s, err := NewSource(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// times returns when a source sends, at most n packets.
func times(s *Source, n int) (out []units.Duration) {
	var eff sansio.Effects
	for range n {
		at := s.NextDeadline()
		if at == units.Never {
			break
		}
		s.Expire(at, &eff)
		for range eff.Sends {
			out = append(out, units.Duration(at))
		}
		eff.Reset()
	}
	return out
}

// Packets are sent as far apart as the rate says, to the picosecond: three packets of 1000 B
// at 7 Gbit/s take 3428571.43 ps.
func TestRateIsExact(t *testing.T) {
	s := source(t, SourceConfig{Pattern: Pattern{Rate: 7e9, Packet: 1000, Start: 5 * us}})
	want := []units.Duration{5_000_000, 6_142_857, 7_285_714, 8_428_571, 9_571_428, 10_714_285, 11_857_142, 13_000_000}
	if got := times(s, len(want)); !slices.Equal(got, want) {
		t.Errorf("packets at %v, want %v", got, want)
	}
	if want := (Sent{Packets: 8, Bytes: 8000}); s.Sent() != want {
		t.Errorf("counted %+v, want %+v", s.Sent(), want)
	}
}

// Any number of packets takes what their bytes take at the rate.
func TestRateHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Pattern{Rate: units.Rate(rapid.Int64Range(1000, 1e12).Draw(t, "rate")), Packet: units.Bytes(rapid.IntRange(44, 9000).Draw(t, "packet"))}
		pacer, n := NewPacer(p), rapid.IntRange(1, 3000).Draw(t, "packets")
		for range n {
			pacer.Next()
		}
		if got, want := units.Duration(pacer.Due()), p.Rate.TimeToSend(units.Bytes(n)*p.Packet); got != want {
			t.Errorf("%d packets take %v, want %v", n, got, want)
		}
	})
}

// Each on-time begins with a packet, and nothing is sent while it is off, nor from the stop on.
func TestOnOff(t *testing.T) {
	p := Pattern{Rate: 8e9, Packet: 1000, On: 2500 * units.Nanosecond, Off: 1500 * units.Nanosecond, Start: us, Stop: 10 * us}
	want := []units.Duration{us, 2 * us, 3 * us, 5 * us, 6 * us, 7 * us, 9 * us}
	if got := times(source(t, SourceConfig{Pattern: p}), 100); !slices.Equal(got, want) {
		t.Errorf("packets at %v, want %v", got, want)
	}
	for now, want := range map[units.Duration]string{
		0: "false 1us", us: "true 5us", 3*us + 499*units.Nanosecond: "true 5us", 3500 * units.Nanosecond: "false 5us",
		9 * us: "true never", 10 * us: "false never", 30 * us: "false never",
	} {
		on, next := p.at(units.Time(now))
		if got := fmt.Sprint(on, next); got != want {
			t.Errorf("at %v: %s, want %s", now, got, want)
		}
	}
}

// All on-times are alike, whatever remains of the division in one.
func TestOnTimesAreAlike(t *testing.T) {
	p := Pattern{Rate: 7e9, Packet: 1000, On: 2 * us, Off: us}
	for i, at := range times(source(t, SourceConfig{Pattern: p}), 40) {
		if want := units.Duration(i/2)*3*us + units.Duration(i%2)*1_142_857; at != want {
			t.Fatalf("packet %d at %v, want %v", i, at, want)
		}
	}
	p.Stop = 6 * us
	if on, next := p.at(units.Time(4 * us)); !on || next != units.Never {
		t.Errorf("before a stop where the next on-time would begin: on %v, next %v", on, next)
	}
}

// What memory held before is in no packet.
func TestPacketsAreFilledWithZeros(t *testing.T) {
	s := source(t, SourceConfig{Pattern: Pattern{Rate: 8e9, Packet: 1000}, Filled: true})
	var eff sansio.Effects
	before := eff.Body(1000)
	for i := range before {
		before[i] = 0xff
	}
	eff.Reset()
	s.Expire(0, &eff)
	if body := eff.Sends[0].Train.Body; len(body) != 972 || slices.ContainsFunc(body, func(b byte) bool { return b != 0 }) {
		t.Errorf("the first packet has %d bytes: %x", len(body), body)
	}
}

// A source that is late sends what is due, a train at a time, and one that is halted nothing.
func TestLate(t *testing.T) {
	s := source(t, SourceConfig{Pattern: Pattern{Rate: 8e9, Packet: 1000}})
	var eff sansio.Effects
	frames := func() (n int) {
		for i := range eff.Sends {
			n += eff.Sends[i].Train.Frames()
		}
		eff.Reset()
		return n
	}
	for _, want := range []int{64, 37, 0} {
		s.Expire(units.Time(100*us), &eff)
		if got := frames(); got != want {
			t.Errorf("%d packets at once, want %d", got, want)
		}
	}
	s.Halt()
	s.Expire(units.Time(200*us), &eff)
	if got := frames(); got != 0 || s.NextDeadline() != units.Never {
		t.Errorf("%d packets behind the end", got)
	}
}

// A sink tells what was lost, came late, and met congestion, and how long packets took. It makes no
// difference whether zeros are stored, or packets come in trains.
func TestSinkCounts(t *testing.T) {
	for _, filled := range []bool{false, true} {
		s := source(t, SourceConfig{Pattern: Pattern{Rate: 8e9, Packet: 1000}, ECN: true, Filled: filled})
		var eff sansio.Effects
		s.Expire(units.Time(9*us), &eff) // ten packets
		train := eff.Sends[0].Train
		if len(eff.Sends) != 1 || train.Frames() != 10 || train.Bytes() != 10*(inet.EtherLen+1000) {
			t.Fatalf("%d trains, the first of %d frames and %d B", len(eff.Sends), train.Frames(), train.Bytes())
		}
		sink := &Sink{}
		take := func(now units.Duration, i, j int, codepoint uint8) {
			sub := train.Sub(i, j, make([]byte, 0, inet.UDPHeaders))
			sub.Header = slices.Clone(sub.Header)
			ip := inet.IPv4(sub.Header[inet.EtherLen:])
			if ip.ECN() != inet.ECT0 || !ip.ChecksumOK() {
				t.Fatalf("codepoint %d, checksum right: %v", ip.ECN(), ip.ChecksumOK())
			}
			ip.SetECN(codepoint)
			sink.Handle(units.Time(now), []sansio.Arrival{{Train: sub}}, &eff)
		}
		take(10*us, 0, 3, inet.ECT0)
		take(12*us, 5, 7, inet.CE)
		take(14*us, 4, 5, inet.ECT0)
		want := Received{Packets: 6, Bytes: 6000, Lost: 1, Reordered: 1, Marks: 2, Last: units.Time(14 * us), DelaySum: 14 * us, DelayMax: 5 * us}
		if got := sink.Received(); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// What is none of a flow is dropped and counted.
func TestUnexpected(t *testing.T) {
	var eff sansio.Effects
	header := inet.UDPHeader(testFlow())
	inet.SetUDPBody(header, stampBytes-1)
	in := []sansio.Arrival{{Train: sansio.Train{Header: header, Body: make([]byte, stampBytes-1)}}, {Train: sansio.Train{Header: []byte("noise")}}}
	s, sink := source(t, SourceConfig{Pattern: Pattern{Rate: 1, Packet: 1000}}), &Sink{}
	s.Handle(0, in, &eff)
	sink.Handle(0, in, &eff)
	for who, list := range map[string][]sansio.Count{"source": s.Counters(), "sink": sink.Counters()} {
		if sansio.CountOf(list, DropUnexpected) != 2 {
			t.Errorf("%s counted %v", who, list)
		}
	}
	if got := sink.Received(); got != (Received{}) {
		t.Errorf("got %+v", got)
	}
}

// pipe is a sender and a receiver of TCP on two wires.
type pipe struct {
	net      sansiotest.Network
	sender   *Sender
	receiver *Receiver
}

func newPipe(t *testing.T, p Pattern, there *sansiotest.Wire) *pipe {
	t.Helper()
	flow := testFlow()
	sender, err := NewSender(TCPConfig{Node: "h0", Flow: flow, MTU: 1500}, p)
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := NewReceiver(TCPConfig{Node: "h1", Flow: flow.Reverse(), MTU: 1500})
	if err != nil {
		t.Fatal(err)
	}
	m := &pipe{sender: sender, receiver: receiver}
	a, b := m.net.Add(sender), m.net.Add(receiver)
	m.net.Connect(a, 0, b, 0, there, &sansiotest.Wire{Delay: 10 * us})
	return m
}

func (m *pipe) run(t *testing.T, until units.Duration) {
	t.Helper()
	if _, err := m.net.Run(units.Time(until)); err != nil {
		t.Fatal(err)
	}
}

// TCP writes at its rate, on and off, and all of it comes, also where frames are lost.
func TestSenderAtRate(t *testing.T) {
	n := 0
	wire := &sansiotest.Wire{Delay: 10 * us, Drop: func(f sansio.Train) bool {
		n++
		return n%50 == 0
	}}
	m := newPipe(t, Pattern{Rate: 800e6, Packet: 1000, On: ms, Off: ms, Start: 3 * ms, Stop: 8500 * us}, wire)
	m.run(t, 2*ms)
	if wire.Frames != 0 {
		t.Errorf("%d frames before the start", wire.Frames)
	}
	m.run(t, units.Second)
	sent, got := m.sender.Sent(), m.receiver.Received() // on from 3, 5 and 7 ms, for 100 writes each
	if sent.Bytes != 300_000 || got.Bytes != sent.Bytes || sent.Resent.Packets == 0 || sent.Resent.Bytes == 0 || got.Packets+uint64(wire.Lost) < sent.Packets {
		t.Errorf("sent %+v, got %+v, %d frames lost", sent, got, wire.Lost)
	}
	if m.sender.conn.State().String() != "TIME-WAIT" || m.receiver.conn.State().String() != "CLOSED" {
		t.Errorf("ends are %v and %v", m.sender.conn.State(), m.receiver.conn.State())
	}
}

// Without a rate TCP keeps its buffer full while it is on.
func TestSenderWithoutRate(t *testing.T) {
	m := newPipe(t, Pattern{Packet: 64 << 10, On: ms, Off: 4 * ms}, &sansiotest.Wire{Delay: 10 * us})
	m.run(t, 900*us)
	if b := m.sender.conn.Buffered(); b <= sendBuffer-64<<10 || b > sendBuffer {
		t.Errorf("%d bytes wait or are on their way", b)
	}
	m.run(t, 4*ms)
	off := m.receiver.Received()
	if off.Bytes != m.sender.Sent().Bytes || off.Last < units.Time(900*us) || off.Last > units.Time(ms+20*us) {
		t.Errorf("while it is off: sent %+v, got %+v", m.sender.Sent(), off)
	}
	m.run(t, 5500*us)
	if got := m.receiver.Received(); got.Bytes <= off.Bytes {
		t.Errorf("the next on-time brings nothing: %+v", got)
	}
}

// A connection that ends is no place to write to.
func TestSenderGivesUp(t *testing.T) {
	m := newPipe(t, Pattern{Packet: 64 << 10}, &sansiotest.Wire{Drop: func(sansio.Train) bool { return true }})
	m.run(t, 3600*units.Second)
	if sent := m.sender.Sent(); m.sender.NextDeadline() != units.Never || sent.Bytes > sendBuffer {
		t.Errorf("sent %+v, next deadline %v", sent, m.sender.NextDeadline())
	}
}

func TestRefusals(t *testing.T) {
	for _, p := range []Pattern{{Packet: 1000}, {Packet: MinPacket - 1, Rate: 1}} {
		if _, err := NewSource(SourceConfig{Flow: testFlow(), Pattern: p}); err == nil || !strings.Contains(err.Error(), "needs packets of 44B or more and a rate") {
			t.Errorf("%+v: error %v", p, err)
		}
	}
	if _, err := NewSender(TCPConfig{Flow: testFlow(), MTU: 1500}, Pattern{}); err == nil {
		t.Error("writes of no bytes")
	}
	if _, err := NewReceiver(TCPConfig{MTU: 1500}); err == nil {
		t.Error("a flow from nowhere")
	}
}

// Meters of receivers count what their records do: payload of UDP, and the stream of TCP.
func TestMetersOfReceivers(t *testing.T) {
	s := source(t, SourceConfig{Pattern: Pattern{Rate: 8e9, Packet: 1000}})
	var eff sansio.Effects
	s.Expire(units.Time(9*us), &eff) // ten packets
	sink := &Sink{Meter: meter.New(us)}
	sink.Handle(units.Time(10*us), []sansio.Arrival{{Train: eff.Sends[0].Train}, {Train: sansio.Train{Header: []byte("noise")}}}, &eff)
	if got := sink.Meter.Series(); got.Sum() != 9720 || got.Bytes[10] != 9720 {
		t.Errorf("UDP: %+v", got)
	}
	m := newPipe(t, Pattern{Packet: 64 << 10, Stop: ms}, &sansiotest.Wire{Delay: 10 * us})
	m.receiver.Meter = meter.New(ms / 10)
	m.run(t, units.Second)
	if got, want := m.receiver.Meter.Series(), m.receiver.Received(); got.Sum() != want.Bytes || want.Bytes == 0 || len(got.Bytes) != int(want.Last/units.Time(ms/10))+1 {
		t.Errorf("TCP: %+v, received %+v", got, want)
	}
}
