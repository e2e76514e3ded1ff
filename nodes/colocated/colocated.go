package colocated

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Worker is the worker's end of a protocol.
type Worker interface {
	sansio.Machine
	Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects)
	BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects)
	Complete(gen int) bool
	Sums() []int32
	Finish(gen int) (out result.Outcome, mean func(dst []float32))
	Returned(n int)
	Waiting(limit int) []trace.Wait
	Counters() []sansio.Count
}

// Server is a server that takes packets of its own host by another way than others.
type Server interface {
	sansio.Machine
	// Local takes packets of the worker on its host.
	Local(now units.Time, in []sansio.Arrival, eff *sansio.Effects)
	Counters() []sansio.Count
	// Contributions returns how many came so far in sums of switches, and how many alone.
	Contributions() (inSwitches, atServer uint64)
}

// Addresses tell who frames are for.
type Addresses struct {
	Server string     // its name in events
	Host   netip.Addr // IPv4; the worker's and the server's
	Group  netip.Addr // that the server sends to, of which the worker is a member
}

// maxHeader is room for the headers of a frame of UDP without IP options.
const maxHeader = 64

// Host is both of them.
type Host struct {
	Worker
	server Server
	at     Addresses
	one    [1]sansio.Arrival // that is handed over
	header [maxHeader]byte   // of it
}

// New returns a worker and a server at the same address.
func New(w Worker, s Server, at Addresses) (*Host, error) {
	if !at.Host.Is4() || !at.Group.Is4() || !at.Group.IsMulticast() {
		return nil, fmt.Errorf("configuring a host at %v whose server sends to %v: both must be IPv4 addresses, and the second a multicast group", at.Host, at.Group)
	}
	return &Host{Worker: w, server: s, at: at}, nil
}

// Begin starts the all-reduce of a generation.
func (h *Host) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	at := endOf(eff)
	h.Worker.Begin(now, gen, grad, eff)
	h.handOver(now, eff, at)
}

// BeginInts starts that of an int32 tensor.
func (h *Host) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	at := endOf(eff)
	h.Worker.BeginInts(now, gen, q, eff)
	h.handOver(now, eff, at)
}

// Handle takes frames of others.
func (h *Host) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	at := endOf(eff)
	for i := range in {
		if destination(&in[i].Train) == h.at.Host {
			h.server.Handle(now, in[i:i+1], eff)
		} else {
			h.Worker.Handle(now, in[i:i+1], eff)
		}
	}
	h.handOver(now, eff, at)
}

// Expire does what is due.
func (h *Host) Expire(now units.Time, eff *sansio.Effects) {
	at := endOf(eff)
	h.server.Expire(now, eff)
	h.Worker.Expire(now, eff)
	h.handOver(now, eff, at)
}

// Beside returns the server, and its name.
func (h *Host) Beside() (name string, server any) { return h.at.Server, h.server }

// NextDeadline returns when either has something to do.
func (h *Host) NextDeadline() units.Time {
	return min(h.server.NextDeadline(), h.Worker.NextDeadline())
}

// Counters returns those of both.
func (h *Host) Counters() []sansio.Count {
	var all sansio.Tally
	all.Merge(h.Worker.Counters())
	all.Merge(h.server.Counters())
	return all.List()
}

// Contributions returns those that came to the server from others.
func (h *Host) Contributions() (inSwitches, atServer uint64) { return h.server.Contributions() }

// end is where a batch ended: its last train, and the frames of that, which more may join.
type end struct{ last, frames int }

func endOf(eff *sansio.Effects) end {
	e := end{last: len(eff.Sends) - 1}
	if e.last >= 0 {
		e.frames = eff.Sends[e.last].Train.Frames()
	}
	return e
}

// handOver gives each of the two what the other one has sent it, in all that was sent behind an end of the batch,
// until nothing is left: what they send then stands behind it. What is for the server alone leaves the batch.
func (h *Host) handOver(now units.Time, eff *sansio.Effects, from end) {
	for i := max(0, from.last); i < len(eff.Sends); {
		done := 0
		if i == from.last {
			done = from.frames
		}
		switch destination(&eff.Sends[i].Train) {
		case h.at.Host:
			h.one[0] = sansio.Arrival{Train: eff.Sends[i].Train}
			eff.Sends = slices.Delete(eff.Sends, i, i+1)
			h.server.Local(now, h.one[:], eff)
			continue
		case h.at.Group:
			h.results(now, eff, i, done)
		}
		i++
	}
}

// results gives the worker the frames of a train to the group but for the first few. While it takes them more
// may join the train.
func (h *Host) results(now units.Time, eff *sansio.Effects, i, done int) {
	for done < eff.Sends[i].Train.Frames() {
		n := eff.Sends[i].Train.Frames()
		h.one[0] = sansio.Arrival{Train: eff.Sends[i].Train.Sub(done, n, h.header[:0])}
		done = n
		h.Worker.Handle(now, h.one[:], eff)
	}
}

// destination returns the IPv4 address that a train is for; of others none.
func destination(t *sansio.Train) (to netip.Addr) {
	if ip, _, ok := t.UDP(); ok {
		to = ip.Dst()
	}
	return to
}
