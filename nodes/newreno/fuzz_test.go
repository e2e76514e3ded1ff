package newreno

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Nothing that a network brings makes an end panic, break its invariants, or send
// more than a bounded number of frames in answer.
func FuzzHandle(f *testing.F) {
	seed(f, false)
	seed(f, true)
	f.Add([]byte("nothing"), uint16(0), uint16(0), false)
	f.Fuzz(func(t *testing.T, frame []byte, seg, unstored uint16, partial bool) {
		for _, c := range []*host{inState(t, Closed), inState(t, Listen), inState(t, SynSent), inState(t, SynReceived), inState(t, Established), inState(t, FinWait1)} {
			feed(t, c, slices.Clone(frame), int(seg), int(unstored), partial)
		}
	})
}

// seed adds the frames of a connection, with ECN as they arrive: all data marked.
func seed(f *testing.F, ecn bool) {
	a := newHost(f, 0, Config{MTU: 150, ECN: ecn}, piece{0, 300, 200}) // short inputs are minimised soon
	b := newHost(f, 1, Config{Passive: true, ECN: ecn}, piece{0, 100, 0})
	a.closes, b.closes = true, true
	see := &sansiotest.Wire{Drop: func(t sansio.Train) bool {
		markCE(t)
		f.Add(append(slices.Clone(t.Header), t.Body...), uint16(0), uint16(t.Unstored), true)
		return false
	}, Mark: func(sansio.Train) bool { return true }}
	var n sansiotest.Network
	n.Connect(n.Add(a), 0, n.Add(b), 0, see, &sansiotest.Wire{Drop: see.Drop, Mark: see.Mark})
	if pending, err := n.Run(1000 * sec); pending || err != nil {
		f.Fatal(pending, err)
	}
}

// inState returns an end that a frame can meet, with data in flight where it has any.
func inState(t *testing.T, want State) *host {
	var s *script
	switch want {
	case Closed:
		s = newScript(t, Config{})
	case Listen, SynReceived:
		s = newScript(t, Config{Passive: true, ECN: true})
		if want == SynReceived {
			s.put(0, 0, syn|ece|cwr, 0, inet.TCPOptions{MSS: 500, HasWindowScale: true})
		}
	case SynSent:
		s = newScript(t, Config{ECN: true})
		s.Open(0, &s.eff)
	default:
		s = established(t, Config{ECN: want == Established})
		s.send(5000)
		s.data(2001, 500)
		if want == FinWait1 {
			s.Close(0, &s.eff)
		}
	}
	s.wantState("made", want)
	return s.host
}

// feed gives a frame that claims to be of the connection, and lets timers expire.
func feed(t *testing.T, h *host, frame []byte, seg, unstored int, partial bool) {
	if len(frame) >= inet.EtherLen+inet.IPv4Len+4 {
		ownLimit := inet.TCPHeader(testFlow(1), 0)
		copy(frame[inet.EtherLen+12:][:8], ownLimit[inet.EtherLen+12:])
		if n := inet.EtherLen + inet.IPv4(frame[inet.EtherLen:]).HeaderLen(); n+4 <= len(frame) {
			binary.BigEndian.PutUint16(frame[n:], testFlow(1).SrcPort)
			binary.BigEndian.PutUint16(frame[n+2:], testFlow(1).DstPort)
		}
	}
	sum := sansio.ChecksumAsIs
	if partial {
		sum = sansio.ChecksumPartial
	}
	train := sansio.NewTrain(frame, seg, sum)
	train.Unstored = unstored
	var eff sansio.Effects
	now := 10 * ms
	h.Handle(now, []sansio.Arrival{{Train: train}}, &eff)
	if n := len(framesOf(&eff)); n > 100*train.Frames() {
		t.Fatalf("%d frames answer %d", n, train.Frames())
	}
	for range 5 {
		eff.Reset()
		if now = h.Conn.NextDeadline(); now == units.Never {
			return
		}
		h.Conn.Expire(now, &eff)
		h.watch(&eff)
	}
}
