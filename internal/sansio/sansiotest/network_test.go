package sansiotest

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// source sends a train of bytes at time 1 and moves its deadline around.
type source struct {
	sent bool
	next units.Time
}

func (s *source) NextDeadline() units.Time { return s.next }
func (s *source) Expire(now units.Time, eff *sansio.Effects) {
	s.next = units.Never
	if !s.sent {
		s.sent, s.next = true, 50
		eff.Send([]sansio.Port{0, 1}, sansio.Train{Header: make([]byte, 42), Body: []byte("abcdef"), Seg: 1})
	}
}
func (s *source) Handle(units.Time, []sansio.Arrival, *sansio.Effects) { s.next = units.Never }

// sink writes down what comes, answers once, and keeps what it must not keep.
type sink struct {
	log  []string
	kept [][]byte
}

func (s *sink) NextDeadline() units.Time           { return units.Never }
func (s *sink) Expire(units.Time, *sansio.Effects) {}
func (s *sink) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for _, a := range in {
		s.log = append(s.log, fmt.Sprintf("%d:%d:%s", now, a.Port, a.Train.Body))
		s.kept = append(s.kept, a.Train.Body)
	}
	eff.Send([]sansio.Port{9}, sansio.Train{Body: []byte("back")}) // unless port 9 has no wire
}

// Frames that are lost cut a train; wires have their own delays; arrivals are
// overwritten afterwards; a deadline that moved away is no event.
func TestNetwork(t *testing.T) {
	var n Network
	from, to := &source{next: 1}, &sink{}
	a, b := n.Add(from), n.Add(to)
	lossy := &Wire{Delay: 10, Drop: func(f sansio.Train) bool { return f.Body[0] == 'c' || f.Body[0] == 'f' }}
	plain := &Wire{Delay: 20}
	n.Connect(a, 0, b, 5, lossy, nil)
	n.Connect(a, 1, b, 6, plain, nil)
	n.Connect(b, 9, a, 9, nil, nil)
	pending, err := n.Run(1000)
	if err != nil || pending {
		t.Fatalf("pending %v, error %v", pending, err)
	}
	if want := []string{"11:5:ab", "11:5:de", "21:6:abcdef"}; !slices.Equal(to.log, want) {
		t.Errorf("%q arrived, want %q", to.log, want)
	}
	for _, b := range to.kept {
		if b[0] != 0xdb {
			t.Errorf("%q can still be read", b)
		}
	}
	if lossy.Frames != 6 || lossy.Lost != 2 || plain.Frames != 6 || plain.Bytes != 6*43 {
		t.Errorf("%+v, %+v", lossy, plain)
	}
	if n.Now() != 21 {
		t.Errorf("the last event is at %v: the deadline at 50 was given up", n.Now())
	}
}

// once sends a train by two ports at the start.
type once struct {
	train sansio.Train
	sent  bool
}

func (o *once) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}
func (o *once) NextDeadline() units.Time {
	if o.sent {
		return units.Never
	}
	return 0
}
func (o *once) Expire(_ units.Time, eff *sansio.Effects) {
	o.sent = true
	eff.Send([]sansio.Port{0, 1}, o.train)
}

// marks writes down what comes, with its codepoint of ECN.
type marks struct{ sink }

func (m *marks) Handle(_ units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for _, a := range in {
		m.log = append(m.log, fmt.Sprintf("%s:%d", a.Train.Body, inet.IPv4(a.Train.Header[inet.EtherLen:]).ECN()))
	}
}

// A wire marks frames that can be marked, and splits a train between marked and others.
func TestMarks(t *testing.T) {
	for codepoint, want := range map[uint8][]string{
		inet.ECT0:   {"ab:2", "c:3", "e:2", "f:3", "abcdef:2"},
		inet.NotECT: {"abc:0", "ef:0", "abcdef:0"},
	} {
		header := inet.TCPHeader(inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2")}, 0)
		inet.SetTCPBody(header, 6)
		inet.IPv4(header[inet.EtherLen:]).SetECN(codepoint)
		var n Network
		to := &marks{}
		a, b := n.Add(&once{train: sansio.Train{Header: header, Body: []byte("abcdef"), Seg: 1}}), n.Add(to)
		n.Connect(a, 0, b, 5, &Wire{
			Drop: func(f sansio.Train) bool { return f.Body[0] == 'd' },
			Mark: func(f sansio.Train) bool { return f.Body[0] == 'c' || f.Body[0] == 'f' },
		}, nil)
		n.Connect(a, 1, b, 6, nil, nil)
		if _, err := n.Run(1000); err != nil || !slices.Equal(to.log, want) {
			t.Errorf("codepoint %d: %q arrived, want %q; %v", codepoint, to.log, want, err)
		}
	}
}

// A wire may deliver frames late, and so out of order, or more than once.
func TestCopies(t *testing.T) {
	var n Network
	from, to := &source{next: 1}, &sink{}
	a, b := n.Add(from), n.Add(to)
	n.Connect(a, 0, b, 5, &Wire{
		Delay: 10, Drop: func(f sansio.Train) bool { return f.Body[0] == 'b' },
		Copies: func(f sansio.Train) []units.Duration {
			return map[byte][]units.Duration{'a': {0, 3}, 'c': {2}, 'd': {1, 1}, 'e': {0}}[f.Body[0]] // and f: never
		},
	}, nil)
	if _, err := n.Run(1000); err != nil {
		t.Fatal(err)
	}
	if want := []string{"11:5:a", "11:5:e", "12:5:d", "12:5:d", "13:5:c", "14:5:a"}; !slices.Equal(to.log, want) {
		t.Errorf("%q arrived, want %q", to.log, want)
	}
}

func TestRunStopsAtItsEnd(t *testing.T) {
	var n Network
	s := &source{next: 100}
	n.Add(s)
	if pending, err := n.Run(99); !pending || err != nil || s.sent {
		t.Errorf("before the deadline: pending %v, error %v, sent %v", pending, err, s.sent)
	}
	if pending, err := n.Run(100); pending || err != nil || !s.sent {
		t.Errorf("at the deadline: pending %v, error %v, sent %v", pending, err, s.sent)
	}
}
