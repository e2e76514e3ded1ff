package host

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// echo answers every frame by its name, and is due at a time.
type echo struct {
	name string
	due  units.Time
	done []string
}

func (e *echo) Handle(now units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for i := range in {
		e.done = append(e.done, fmt.Sprintf("%v %s", now, in[i].Train.Body))
	}
}

func (e *echo) Expire(now units.Time, eff *sansio.Effects) {
	eff.Send([]sansio.Port{0}, sansio.Train{Header: []byte(e.name)})
	e.due = units.Never
}

func (e *echo) NextDeadline() units.Time { return e.due }

func frame(port uint16, body string) sansio.Arrival {
	header := inet.UDPHeader(inet.Flow{Src: netip.AddrFrom4([4]byte{10, 0, 0, 1}), Dst: netip.AddrFrom4([4]byte{10, 0, 0, 2}), SrcPort: 7, DstPort: port})
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: []byte(body)}}
}

// Frames go to the machine of their port, in order, and those of no port to the one
// that takes the rest.
func TestFramesFindTheirMachine(t *testing.T) {
	worker, server, rest := &echo{due: units.Never}, &echo{due: units.Never}, &echo{due: units.Never}
	in := []sansio.Arrival{frame(1, "a"), frame(2, "b"), frame(1, "c"), frame(3, "d")}
	for _, tc := range []struct {
		members []Member
		rest    []string
		drops   int
	}{
		{[]Member{{Port: 1, Machine: worker}, {Port: 2, Machine: server}}, nil, 1},
		{[]Member{{Port: 1, Machine: worker}, {Machine: rest}, {Port: 2, Machine: server}}, []string{"1ns d"}, 0},
	} {
		worker.done, server.done, rest.done = nil, nil, nil
		h, err := New(tc.members...)
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		h.Handle(units.Time(units.Nanosecond), in, &eff)
		if diff := cmp.Diff([][]string{{"1ns a", "1ns c"}, {"1ns b"}, tc.rest}, [][]string{worker.done, server.done, rest.done}); diff != "" {
			t.Errorf("frames (-want +got):\n%s", diff)
		}
		if got := h.Counters(); len(got) != tc.drops {
			t.Errorf("counters %v", got)
		}
	}
}

// Ports of TCP are none of UDP.
func TestPortsOfTCP(t *testing.T) {
	udp, tcp, rest := &echo{due: units.Never}, &echo{due: units.Never}, &echo{due: units.Never}
	h, err := New(Member{Port: 1, Machine: udp}, Member{Port: 1, TCP: true, Machine: tcp}, Member{Machine: rest})
	if err != nil {
		t.Fatal(err)
	}
	segment := func(port uint16, body string) sansio.Arrival {
		header := inet.TCPHeader(inet.Flow{Src: netip.AddrFrom4([4]byte{10, 0, 0, 1}), Dst: netip.AddrFrom4([4]byte{10, 0, 0, 2}), SrcPort: 7, DstPort: port}, 0)
		inet.SetTCPBody(header, len(body))
		return sansio.Arrival{Train: sansio.Train{Header: header, Body: []byte(body)}}
	}
	var eff sansio.Effects
	h.Handle(units.Time(units.Nanosecond), []sansio.Arrival{frame(1, "a"), segment(1, "b"), segment(2, "c"), frame(2, "d")}, &eff)
	if diff := cmp.Diff([][]string{{"1ns a"}, {"1ns b"}, {"1ns c", "1ns d"}}, [][]string{udp.done, tcp.done, rest.done}); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	if _, err := New(Member{Port: 9, TCP: true}, Member{Port: 9, TCP: true}); err == nil || !strings.Contains(err.Error(), "two machines of a host take TCP port 9") {
		t.Errorf("error %v", err)
	}
}

// Only machines that are due are told, each at its own time.
func TestDeadlines(t *testing.T) {
	a, b := &echo{name: "a", due: 5}, &echo{name: "b", due: 3}
	h, err := New(Member{Port: 1, Machine: a}, Member{Port: 2, Machine: b})
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	for h.NextDeadline() != units.Never {
		var eff sansio.Effects
		at := h.NextDeadline()
		h.Expire(at, &eff)
		for _, s := range eff.Sends {
			sent = append(sent, fmt.Sprint(int(at), string(s.Train.Header)))
		}
	}
	if diff := cmp.Diff([]string{"3b", "5a"}, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

func TestPortsDiffer(t *testing.T) {
	if _, err := New(Member{Port: 9}, Member{Port: 9}); err == nil || !strings.Contains(err.Error(), "two machines of a host take UDP port 9: give each a port or protocol of its own") {
		t.Errorf("error %v", err)
	}
	if _, err := New(); err == nil {
		t.Error("a host of nobody")
	}
}

// Frames of a protocol without ports go to the machine that names it, whatever port it has.
func TestProtocols(t *testing.T) {
	owner, other, rest := &echo{due: units.Never}, &echo{due: units.Never}, &echo{due: units.Never}
	h, err := New(Member{Port: 1, Protocol: 253, Machine: owner}, Member{Port: 2, Machine: other}, Member{Machine: rest})
	if err != nil {
		t.Fatal(err)
	}
	raw := func(protocol uint8, body string) sansio.Arrival {
		a := frame(1, body)
		a.Train.Header = a.Train.Header[:inet.EtherLen+inet.IPv4Len]
		ip := inet.IPv4(a.Train.Header[inet.EtherLen:])
		ip[9] = protocol
		ip.SetTotalLen(inet.IPv4Len + len(body))
		return a
	}
	var eff sansio.Effects
	h.Handle(units.Time(units.Nanosecond), []sansio.Arrival{frame(1, "a"), raw(253, "b"), raw(254, "c"), frame(2, "d"), frame(3, "e")}, &eff)
	if diff := cmp.Diff([][]string{{"1ns a", "1ns b"}, {"1ns d"}, {"1ns c", "1ns e"}}, [][]string{owner.done, other.done, rest.done}); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	if _, err := New(Member{Port: 1, Protocol: 253}, Member{Port: 2, Protocol: 253}); err == nil || !strings.Contains(err.Error(), "two machines of a host take IP protocol 253") {
		t.Errorf("error %v", err)
	}
}
