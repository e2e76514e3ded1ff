package xagg

import (
	"bytes"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// stack remembers what it was given, and answers each train with itself.
type stack struct{ got []sansio.Arrival }

func (s *stack) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	s.got = append(s.got, slices.Clone(in)...)
	for _, a := range in {
		eff.Send([]sansio.Port{a.Port}, a.Train)
	}
}

func (s *stack) Expire(_ units.Time, eff *sansio.Effects) { eff.Send(nil, sansio.Train{}) }
func (s *stack) NextDeadline() units.Time                 { return 77 }

func newHost(t *testing.T) (*Host, *stack, *bench) {
	b, s := newBench(t, testConfig(2, 4)), &stack{}
	return NewHost(b.a, s), s, b
}

func arrive(port sansio.Port, frame []byte) sansio.Arrival {
	return sansio.Arrival{Port: port, Train: sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)}
}

// A sum leaves by the port of the packet that finished it, as Receive makes it; sums of one call share nothing.
func TestHostSendsSums(t *testing.T) {
	h, s, b := newHost(t)
	other, _, _ := newHost(t)
	var in []sansio.Arrival
	var want [][]byte
	for i, p := range []packet{{host: 1, gradient: 1, v: 3}, {host: 1, gradient: 4, v: 5}, {host: 2, gradient: 1, v: 4}, {host: 2, gradient: 4, v: 6}} {
		in = append(in, arrive(sansio.Port(i), p.frame(&b.c)))
		if f := p.frame(&b.c); other.Receive(f) == Send {
			want = append(want, f)
		}
	}
	var eff sansio.Effects
	h.Handle(0, in, &eff)
	if len(eff.Sends) != 2 || len(want) != 2 || s.got != nil {
		t.Fatalf("%d sends, %d to the stack", len(eff.Sends), len(s.got))
	}
	for i, send := range eff.Sends {
		if got := slices.Concat(send.Train.Header, send.Train.Body); !bytes.Equal(got, want[i]) || !slices.Equal(send.To, []sansio.Port{sansio.Port(i + 2)}) {
			t.Errorf("by %v: % x, want % x", send.To, got, want[i])
		}
	}
}

// Values that are not stored are zero.
func TestHostTakesUnstoredValues(t *testing.T) {
	h, _, b := newHost(t)
	h.scratch = bytes.Repeat([]byte{0xff}, 2000) // what an earlier frame left
	frame := packet{host: 1, gradient: 1}.frame(&b.c)
	train := sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)
	train.Body = train.Body[:wire.HeaderLen+8]
	train.Unstored = 4*testValues - 8
	var eff sansio.Effects
	h.Handle(0, []sansio.Arrival{{Train: train}}, &eff)
	if e := h.Sum(1); e.Bitmap != 1 || !slices.Equal(e.Values, make([]int32, testValues)) {
		t.Errorf("the element is %+v", e)
	}
}

// All else is the stack's, in order: single frames, trains, time.
func TestHostPassesOthers(t *testing.T) {
	h, s, b := newHost(t)
	udp := append(inet.UDPHeader(inet.Flow{Src: b.c.Up.Addr, Dst: b.c.Addr, SrcPort: 1, DstPort: 2}), make([]byte, 300)...)
	inet.SetUDPBody(udp, 300)
	train := sansio.NewTrain(udp, 100, sansio.ChecksumPartial)
	in := []sansio.Arrival{arrive(5, udp), arrive(1, packet{host: 1, gradient: 1}.frame(&b.c)), {Port: 6, Train: train}}
	var eff sansio.Effects
	h.Handle(0, in, &eff)
	if len(s.got) != 2 || s.got[0].Port != 5 || s.got[1].Port != 6 || s.got[1].Train.Frames() != 3 || len(eff.Sends) != 2 {
		t.Errorf("the stack gets %+v", s.got)
	}
	if b.counted(Passed) != 4 || b.counted(Added) != 1 {
		t.Errorf("%v", b.a.Tally())
	}
	if h.Expire(0, &eff); len(eff.Sends) != 3 || h.NextDeadline() != 77 {
		t.Error("time is not the stack's")
	}
}
