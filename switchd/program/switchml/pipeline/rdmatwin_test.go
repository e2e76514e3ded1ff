package pipeline

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// stray is a packet that no conforming host sends.
func (x *rdmaTraffic) stray() sansio.Arrival {
	h := x.hosts[rapid.IntRange(0, len(x.hosts)-1).Draw(x.t, "stray from")]
	q := rapid.IntRange(0, len(h.queues)-1).Draw(x.t, "stray of")
	s := write{doc: h.doc, rank: h.rank, q: q, psn: h.queues[q].psn, value: func(int) int32 { return 77 }}
	kind := rapid.IntRange(0, 9).Draw(x.t, "stray")
	flip := func(a sansio.Arrival) sansio.Arrival {
		a.Train.Body[rapid.IntRange(roce.BTHLen, len(a.Train.Body)-1).Draw(x.t, "flipped")] ^= 4
		return a
	}
	fresh := func(a sansio.Arrival) sansio.Arrival {
		roce.Seal(a.Train.Header, a.Train.Body)
		return a
	}
	switch kind {
	case 0:
		return flip(s.arrival())
	case 1:
		s.change = func(p *roce.Packet) { p.QueuePair = switchml.QPN((h.rank+1)%32, q) }
	case 2:
		s.change = func(p *roce.Packet) { p.QueuePair = switchml.QPN(h.rank, len(h.queues)) }
	case 3:
		s.change = func(p *roce.Packet) { p.RETH.Key += 2 }
	case 4:
		s.change = func(p *roce.Packet) { p.RETH.Length += 4 }
	case 5:
		a := s.arrival()
		a.Train.Body[1] |= byte(rapid.IntRange(1, 15).Draw(x.t, "version"))
		return fresh(a)
	case 6:
		a := s.arrival()
		a.Train.Body[0] = byte(rapid.SampledFrom([]int{0, 4, 0x25, 0x2c}).Draw(x.t, "operation"))
		return fresh(a)
	case 7:
		a := s.arrival()
		a.Train.Body[2] = 0
		return fresh(a)
	case 8:
		a := s.arrival()
		inet.IPv4(a.Train.Header[inet.EtherLen:]).SetSrc(workerAddr(999))
		return fresh(a)
	case 9:
		a := s.arrival()
		inet.UDP(a.Train.Header[inet.EtherLen+inet.IPv4Len:]).SetPorts(1, 48864)
		return a
	}
	return s.arrival()
}

// Packet by packet, the chip does what the reference program does: the same frames byte
// by byte, the same counters, events and open messages. Packets are lost, doubled and
// overtaken, PSNs jump, and strangers and broken packets come between.
func TestRDMAChipDoesWhatTheReferenceProgramDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawRDMAJobs(t, 3)
		w := newRDMATwin(t, rdmaConfig(jobs...), Options{OneByOne: rapid.IntRange(0, 9).Draw(t, "one by one") == 0})
		x := newRDMATraffic(t, jobs)
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			x.step(w.give)
			if rapid.IntRange(0, 19).Draw(t, "something else") == 0 {
				w.give(x.stray())
			}
		}
		w.agree()
		x.heal(3, w.give)
		w.agree()
	})
}
