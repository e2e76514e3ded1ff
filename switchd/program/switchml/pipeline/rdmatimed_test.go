package pipeline

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
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
