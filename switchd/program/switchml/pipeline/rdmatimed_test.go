package pipeline

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
)

// In a chip with time, messages of all queue pairs come out in order and whole, though
// their packets go round by several ports at once.
func TestTimedRDMA(t *testing.T) {
	const queues, packets, rounds = 5, 4, 3
	doc := rdmaDocument(1, 0, 3, 256, packets, queues)
	timing := tofino.DefaultTiming()
	e, err := newRDMA(rdmaConfig(doc), Options{Timing: &timing})
	if err != nil {
		t.Fatal(err)
	}
	hosts := make([]*rdmaHost, 3)
	for rank := range hosts {
		hosts[rank] = &rdmaHost{doc: &doc, rank: rank}
		for _, psn := range doc.Workers[rank].RDMA.PSNs {
			hosts[rank].queues = append(hosts[rank].queues, rdmaQueue{psn: roce.PSN(psn)})
		}
	}
	x := &rdmaTraffic{tb: t, hosts: hosts}
	var eff sansio.Effects
	now := units.Time(0)
	for range rounds {
		for i, h := range hosts {
			for q := range h.queues {
				e.Handle(now, h.message(q), &eff)
				for _, s := range take(now, &eff) {
					x.deliver(hosts[s.port], s)
				}
			}
			now = now.Add(units.Duration(i) * units.Nanosecond)
		}
		for d := e.NextDeadline(); d != units.Never; d = e.NextDeadline() {
			now = d
			e.Expire(now, &eff)
			for _, s := range take(now, &eff) {
				x.deliver(hosts[s.port], s)
			}
		}
	}
	if x.done != 3*queues*rounds {
		t.Fatalf("%d messages come whole, want %d; %v", x.done, 3*queues*rounds, e.Counters())
	}
}

// Where queues hold two packets, packets are lost between passes, when some pipes have
// added their values and others have not. Sums stay right, and when everybody sends again
// in peace all get on.
func TestRDMAPassesAreLost(t *testing.T) {
	lost := uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		jobs := []switchml.Job{rdmaDocument(1, 0, rapid.IntRange(1, 4).Draw(t, "workers"), 256, rapid.IntRange(1, 4).Draw(t, "packets of a message"), 2)}
		timing := tofino.DefaultTiming()
		timing.Queue = 2 * ((1200 + tofino.CellBytes - 1) / tofino.CellBytes)
		c := &chip{t: t}
		var err error
		if c.e, err = newRDMA(rdmaConfig(jobs...), Options{Timing: &timing}); err != nil {
			t.Fatal(err)
		}
		x := newRDMATraffic(t, jobs)
		x.ordered = true
		now := units.Time(0)
		after := func(d units.Duration, a sansio.Arrival) []sent {
			now = now.Add(d)
			return append(c.until(now), c.handle(now, a)...)
		}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			x.step(func(a sansio.Arrival) []sent {
				return after(units.Duration(rapid.SampledFrom([]int{0, 0, 40, 500}).Draw(t, "ns later"))*units.Nanosecond, a)
			})
		}
		lost += c.count(tofino.DropQueue)
		x.carry(c.until(now.Add(units.Millisecond)))
		x.heal(4, func(a sansio.Arrival) []sent {
			out := after(units.Millisecond, a)
			now = now.Add(units.Millisecond)
			return append(out, c.until(now)...)
		})
	})
	if lost == 0 {
		t.Error("no pass was lost")
	}
}

// firstSum is the first value of a packet to a worker.
func firstSum(s sent) int32 {
	var p roce.Packet
	p.Read(s.frame[inet.UDPHeaders:], 0)
	return int32(binary.BigEndian.Uint32(p.Payload))
}

// The first packet of a message is lost between passes, the second is not. What leaves for
// the second does not go on with the message before, whose second packet was lost on its way
// to the switch: the worker's card would take half of either for one message.
func TestLostPassesJoinNoMessages(t *testing.T) {
	const packets, crowd = 2, 6
	doc := rdmaDocument(1, 0, 1, 256, packets, 1)
	others := rdmaDocument(2, 1, crowd, 256, packets, 1) // at the same port of further pipes
	timing := tofino.DefaultTiming()
	timing.Queue = 2 * ((1200 + tofino.CellBytes - 1) / tofino.CellBytes)
	c := &chip{t: t}
	var err error
	if c.e, err = newRDMA(rdmaConfig(doc, others), Options{Timing: &timing}); err != nil {
		t.Fatal(err)
	}
	now, psn := units.Time(0), roce.PSN(doc.Workers[0].RDMA.PSNs[0])
	send := func(set uint32, i int, before ...sansio.Arrival) (out []sent) {
		a := plain(&doc, 0, 0, i, psn, set, int32(set)+1).arrival()
		psn = psn.Add(1)
		now = now.Add(units.Millisecond)
		out = append(c.handle(now, append(before, a)...), c.until(now.Add(units.Microsecond*500))...)
		return slices.DeleteFunc(out, func(s sent) bool { return s.port != 0 })
	}
	if n := len(send(0, 0)) + len(send(0, 1)) + len(send(0, 0)); n != 3 { // the last one: sent again
		t.Fatalf("%d packets leave, want 3", n)
	}
	psn = psn.Add(1) // lost
	var busy []sansio.Arrival
	for rank := range crowd {
		busy = append(busy, plain(&others, rank, 0, 0, roce.PSN(others.Workers[rank].RDMA.PSNs[0]), 0, 1).arrival())
	}
	if n := len(send(1, 0, busy...)); n != 0 || c.count(tofino.DropQueue) == 0 {
		t.Fatalf("%d packets leave, and %d are lost between passes", n, c.count(tofino.DropQueue))
	}
	if n := len(send(1, 1)); n != 0 || c.count(switchml.CountRDMAHeldBack) != 1 {
		t.Errorf("%d packets leave, %d are held back: want 1 of them held back", n, c.count(switchml.CountRDMAHeldBack))
	}
	for i := range packets { // sent again
		if out := send(1, i); len(out) != 1 || firstSum(out[0]) != 2 {
			t.Errorf("packet %d of the message: %d packets leave", i, len(out))
		}
	}
}
