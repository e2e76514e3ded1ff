package newreno

import (
	"testing"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Sections are those of RFC 3168.

// §6.1.1: an active end offers by ECE and CWR in a SYN without ECT. ECE alone in the answer
// agrees; both flags are a reflection of the offer.
func TestECNOffered(t *testing.T) {
	for _, c := range []struct {
		ecn    bool
		answer uint8
		agreed bool
	}{{true, ece, true}, {true, 0, false}, {true, cwr, false}, {true, ece | cwr, false}, {false, ece, false}, {false, 0, false}} {
		s := newScript(t, Config{ECN: c.ecn, NoTimestamps: true})
		s.Open(0, &s.eff)
		offer := syn
		if c.ecn {
			offer |= ece | cwr
		}
		if f := s.frames(); len(f) != 1 || f[0].flags != offer || f[0].ecn != inet.NotECT {
			t.Errorf("ECN %v: opened by %+v", c.ecn, f)
		}
		s.seq = 1
		f := s.put(0, 1, syn|ack|c.answer, 0, optionsMSS)
		if len(f) != 1 || f[0].flags != ack || f[0].ecn != inet.NotECT {
			t.Errorf("ECN %v, answer %#x: confirmed by %+v", c.ecn, c.answer, f)
		}
		s.wantECN("an answer", c.agreed, c.agreed)
		ect := 0
		if c.agreed {
			ect = 2
		}
		s.wantCapable("data", s.send(2*mss), places(1, 2), ect, none)
	}
}

// §6.1.1: a passive end agrees by ECE alone in a SYN and ACK without ECT, if both flags are set.
func TestECNAccepted(t *testing.T) {
	for _, c := range []struct {
		ecn    bool
		offer  uint8
		agreed bool
	}{{true, ece | cwr, true}, {true, 0, false}, {true, cwr, false}, {true, ece, false}, {false, ece | cwr, false}} {
		s := newScript(t, Config{Passive: true, ECN: c.ecn})
		want := syn | ack
		if c.agreed {
			want |= ece
		}
		for range 2 { // at first, and when it comes again
			f := s.put(0, 0, syn|c.offer, 0, optionsMSS)
			if len(f) != 1 || f[0].ecn != inet.NotECT || s.State() != SynReceived {
				t.Fatalf("ECN %v, offer %#x: answered by %+v", c.ecn, c.offer, f)
			}
		}
		if f := s.wait(); len(f) != 1 || f[0].flags != want {
			t.Errorf("ECN %v, offer %#x: the answer comes again as %+v, want flags %#x", c.ecn, c.offer, f, want)
		}
		s.wantECN("an offer", c.agreed, c.agreed)
	}
}

// §6.1.1: who was sent a SYN without the offer, be it later, does not send ECT; neither does a
// listener with its next peer.
func TestECNWithdrawn(t *testing.T) {
	s := newScript(t, Config{Passive: true, ECN: true})
	s.put(0, 0, syn|ece|cwr, 0, optionsMSS)
	s.put(-7, 0, syn, 0, optionsMSS)
	s.wantECN("another SYN than the peer's", true, true)
	s.put(0, 0, syn, 0, optionsMSS)
	s.wantECN("the SYN again without offer", false, false)
	if f := s.wait(); len(f) != 1 || f[0].flags != syn|ack {
		t.Errorf("answered by %+v", f)
	}
	s = newScript(t, Config{Passive: true, ECN: true})
	s.put(0, 0, syn|ece|cwr, 0, optionsMSS)
	s.put(1, 0, rst, 0, inet.TCPOptions{})
	s.wantState("given up", Listen)
	s.wantECN("given up", false, false)
}

// §6.1.1.1: a SYN that goes again makes no offer. An answer to the first one still has marks
// echoed, but this end has refused once, so it sends no ECT (§6.1.1).
func TestECNFallback(t *testing.T) {
	for _, answer := range []uint8{0, ece} {
		s := newScript(t, Config{ECN: true, NoTimestamps: true})
		s.Open(0, &s.eff)
		s.frames()
		if f := s.wait(); len(f) != 1 || f[0].flags != syn {
			t.Errorf("the SYN goes again as %+v", f)
		}
		s.seq = 1
		s.put(0, 1, syn|ack|answer, 0, optionsMSS)
		s.wantECN("an answer", answer != 0, false)
		s.wantCapable("data", s.send(2*mss), places(1, 1), 0, none)
		s.mark(1, 0, 10)
		s.wantEcho("a mark", s.wait()[:1], 11, answer != 0)
	}
}

// §6.1.1, both ends open at once: the SYN and ACK has ECE where the SYN had the offer.
func TestECNSimultaneousOpen(t *testing.T) {
	for _, offer := range []uint8{0, ece | cwr} {
		s := newScript(t, Config{ECN: true})
		s.Open(0, &s.eff)
		s.frames()
		f := s.put(0, 0, syn|offer, 0, optionsMSS)
		if len(f) != 1 || f[0].flags != syn|ack|offer&ece {
			t.Errorf("answered by %+v", f)
		}
		s.put(0, 1, syn|ack|offer&ece, 0, optionsMSS)
		s.seq = 1
		s.ack(1)
		s.wantState("both SYNs", Established)
		s.wantECN("both SYNs", offer != 0, offer != 0)
	}
}
