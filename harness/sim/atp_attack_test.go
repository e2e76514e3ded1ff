package sim_test

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// deadTenant is ATP whose second worker is dead, and whose first one sends what nobody should, one
// packet after another; it does not reduce.
type deadTenant struct {
	atp.System
	sends *[]badPacket
}

func (d deadTenant) NewCore(text json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	c, err := d.System.NewCore(text, rec, sink)
	cfg, bad := job.Decode[host.Config](text)
	out := &deadCore{Collective: c, next: units.Never}
	if bad == nil && cfg.Worker == 0 {
		out.sends = *d.sends
	}
	return out, err
}

// deadCore sends a packet every now and then, and takes none.
type deadCore struct {
	worker.Collective
	sends []badPacket
	next  units.Time
}

func (c *deadCore) Begin(now units.Time, _ int, _ []float32, _ *sansio.Effects) {
	if len(c.sends) > 0 {
		c.next = now
	}
}
func (*deadCore) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}
func (*deadCore) Complete(int) bool                                    { return false }
func (c *deadCore) NextDeadline() units.Time                           { return c.next }

func (c *deadCore) Expire(now units.Time, eff *sansio.Effects) {
	if now < c.next {
		return
	}
	p := &c.sends[0]
	body := make([]byte, wire.PayloadLen-p.cut)
	p.Put(body)
	for i := wire.HeaderLen; i < len(body); i++ {
		body[i] = 1
	}
	eff.Emit([]sansio.Port{0}, inet.UDPHeader(p.flow), body)
	c.sends, c.next = c.sends[1:], now.Add(attackEvery)
	if len(c.sends) == 0 {
		c.next = units.Never
	}
}

// attackEvery is some three frames of a worker's link.
const attackEvery = 10 * units.Microsecond

// badPacket is a packet that nobody should send.
type badPacket struct {
	wire.Header
	flow    inet.Flow
	cut     int    // bytes that lack
	node    string // where it is counted
	counter string
	there   string // counter at the other job's server or workers, if it gets so far
}

// badPackets are all kinds of them from one host, of job 2, whose server is h6. The other job, 1, has h0 to h2
// and the server h3.
func badPackets(p *plan.Plan, numbers uint32) (out []badPacket) {
	own := &p.Hosts[4]
	to := func(k int) inet.Flow {
		h := &p.Hosts[k]
		return inet.Flow{SrcMAC: inet.MAC(own.MAC), DstMAC: inet.MAC(h.MAC), Src: own.Addr.Addr(), Dst: h.Addr.Addr(), SrcPort: wire.Port, DstPort: wire.Port}
	}
	as := func(f inet.Flow, k int) inet.Flow { f.Src = p.Hosts[k].Addr.Addr(); return f }
	group := func(g netip.Addr) inet.Flow {
		f := to(0)
		f.DstMAC, f.Dst = inet.MulticastMAC(g), g
		return f
	}
	other := group(plan.Group(1))
	for n := uint32(30); n <= 30*numbers; n += 30 { // some are on their way meanwhile
		grad := wire.Header{Bitmaps: [2]uint32{1, 1}, Job: 1, Sequence: n, Index: uint16(n), FanIns: [2]uint8{3, 1}}
		mine, nobody, wrap := grad, grad, grad
		mine.Job, mine.FanIns[0], nobody.Job, wrap.Sequence = 2, 2, 77, 0
		fan, index, again := mine, mine, grad
		fan.FanIns[0], index.Index, again.Flags = 3, 65535, wire.Resend|wire.Collision
		ack := wire.Header{Job: 1, Sequence: n, Index: uint16(n), FanIns: [2]uint8{1, 1}, Flags: wire.IsAck}
		moved, floats, odd, lost, late := ack, ack, ack, ack, ack
		moved.Flags, moved.Bitmaps[0] = wire.IsAck|wire.Collision, 7
		floats.Flags, odd.Flags, lost.Job, late.Job = wire.IsAck|wire.Overflow, wire.IsAck|wire.EdgeSwitch, 77, 2
		const tor, stranger = "tor", server.DropStranger
		out = append(out,
			badPacket{grad, to(3), 0, tor, program.NotHere.String(), stranger},
			badPacket{again, to(3), 0, tor, program.NotHere.String(), stranger},
			badPacket{mine, to(3), 0, tor, program.NotHere.String(), stranger},
			badPacket{nobody, to(3), 0, tor, program.CountUnknownJob, stranger},
			badPacket{fan, to(6), 0, tor, program.BadFanIn.String(), ""},
			badPacket{index, to(6), 0, tor, program.BadIndex.String(), ""},
			badPacket{wrap, to(3), 0, tor, string(wire.BadSequence), stranger},
			badPacket{grad, to(3), 4, tor, string(wire.Truncated), stranger},
			badPacket{ack, as(other, 3), 0, tor, program.Forged.String(), ""},
			badPacket{ack, other, 0, tor, program.Forged.String(), ""},
			badPacket{moved, as(to(0), 3), 0, tor, program.Forged.String(), ""},
			badPacket{floats, as(other, 3), 0, tor, program.Forged.String(), ""},
			badPacket{late, as(group(plan.Group(2)), 6), 0, tor, program.Forged.String(), ""},
			badPacket{lost, as(to(1), 3), 0, tor, program.CountUnknownJob, host.DropForeign},
			badPacket{odd, to(3), 0, tor, program.CountReserved, stranger},
		)
	}
	return out
}

// runBeside runs job 1 beside a dead tenant that sends packets.
func runBeside(t *testing.T, p *plan.Plan, sys atp.System, sends []badPacket) (result.Cell, units.Time) {
	t.Helper()
	one, two := atpSpec(t, p, sys, []int{3}, 0, 1, 2), atpSpec(t, p, sys, []int{6}, 4, 5)
	one.ID, two.ID, two.Until, two.System = 1, 2, 100*units.Millisecond, deadTenant{sys, &sends}
	jobs, cells := runTogether(t, one, two)
	wantRight(t, jobs[0], cells[0])
	end := units.Time(0)
	for _, s := range cells[0].Samples {
		end = max(end, s.End)
	}
	if cells[1].Ended == nil {
		t.Error("the dead tenant ended by itself")
	}
	return cells[0], end
}

// A dead tenant's host sends whatever it should not, in its own name and in that of another job. All of it is counted
// by reason. The other job's sums are right, its switch does the same, and it is later by no more than
// the frames take on its links that are not dropped before.
func TestOthersAreUndisturbedByADeadTenant(t *testing.T) {
	long(t)
	p := atpPlan(t, "rack", 9, topo.LinkSpec{})
	for name, sys := range map[string]atp.System{
		"reference": {}, "chip": {Pipe: atp.Pipe{Pipeline: true}}, "no aggregators": {Aggregators: atp.None},
	} {
		t.Run(name, func(t *testing.T) {
			quiet, alone := runBeside(t, p, sys, nil)
			sends := badPackets(p, 20)
			if sys.Aggregators == atp.None { // then all collide
				for i := range sends {
					if sends[i].counter == program.BadIndex.String() {
						sends[i].counter = program.Collisions.String()
					}
				}
			}
			cell, beside := runBeside(t, p, sys, sends)
			want, extra := map[[2]string]uint64{}, 0
			for _, s := range sends {
				want[[2]string{s.node, "engine/" + s.counter}]++
				if s.there != "" {
					extra++
					want[[2]string{"h", s.there}]++
				}
			}
			for k, n := range want {
				got, before := counted(cell, k[0], k[1]), counted(quiet, k[0], k[1])
				if got-before != n {
					t.Errorf("%d of %d packets are counted as %s at %s", got-before, n, k[1], k[0])
				}
			}
			for _, c := range []program.Counter{program.Aggregated, program.Results, program.Collisions, program.FreedByParameter, program.Reserved, program.Duplicate} {
				if got, want := counted(cell, "tor", "/atp/1/"+c.String()), counted(quiet, "tor", "/atp/1/"+c.String()); got != want {
					t.Errorf("%s of job 1: %d, and %d without", c, got, want)
				}
			}
			frame := units.GbitPerSecond.TimeToSend(units.Bytes(inet.EtherLen+inet.IPv4Len+inet.UDPLen+wire.PayloadLen) + 24)
			if late, bound := beside.Sub(alone), units.Duration(extra)*frame; late < 0 || late > bound {
				t.Errorf("job 1 ends at %v, and at %v without: %d frames explain %v", beside, alone, extra, bound)
			}
		})
	}
}
