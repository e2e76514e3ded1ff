package reference

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

// Engine is the aggregation program of one switch. It meets dataplane.Engine, Managed and Watched.
type Engine struct {
	*atp.Table
	sansio.Untimed // ages are looked at when packets come (§3.7)

	table []aggregator
	inUse int // that are not free

	arrived atp.Packet // the one at hand
	out     output
}

// New returns the program of one switch.
func New(cfg atp.Config) (*Engine, error) {
	e := &Engine{}
	t, err := atp.NewTable(&cfg, e.held)
	if err == nil {
		e.Table, e.table = t, make([]aggregator, cfg.Aggregators)
		err = e.AddAll(cfg.Jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("configuring atp on %s: %w", cfg.Node, err)
	}
	return e, nil
}

// held yields the aggregators that are not free, by index.
func (e *Engine) held(yield func(atp.Aggregator) bool) {
	for i := range e.table {
		if a := &e.table[i]; a.id != 0 && !yield(a.show(i)) {
			return
		}
	}
}

// Remembers reports whether some aggregator is not free.
func (e *Engine) Remembers() bool { return e.inUse > 0 }

// AddJob sets up a job as an [atp.Job] says. What an earlier job of its id has left is freed.
func (e *Engine) AddJob(now units.Time, d dataplane.Document) (uint8, error) {
	id, err := e.Add(d)
	if err != nil {
		return 0, err
	}
	e.forget(now, func(a *aggregator) bool { return uint8(a.id>>wire.SequenceBits) == id })
	return id, nil
}

// Forget has the switch lose all aggregators, as when its state vanishes (§3.1), and returns how many
// were in use. Its jobs stay.
func (e *Engine) Forget(now units.Time) (blocks int) {
	return e.forget(now, func(*aggregator) bool { return true })
}

func (e *Engine) forget(now units.Time, which func(*aggregator) bool) (n int) {
	for i := range e.table {
		if a := &e.table[i]; a.id != 0 && which(a) {
			e.free(now, i, atp.Forgotten, atp.ByForget)
			n++
		}
	}
	return n
}

// free frees an aggregator and counts by what. Its values stay, for a packet that bears them on.
func (e *Engine) free(now units.Time, index int, by atp.Counter, note string) {
	a := &e.table[index]
	was := a.show(index)
	e.CountsOf(was.Job)[by]++
	e.Freed(now, &was, note)
	a.id = 0
	e.inUse--
}

// Claims claims what goes to the ports of ATP, that of more than two levels among them.
func (e *Engine) Claims(f dataplane.Frame) dataplane.Claim {
	if f.IsTo(wire.DeepPort) {
		return dataplane.InTransit
	}
	return e.Table.Claims(f)
}

// Handle handles every frame of the arrivals.
func (e *Engine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	e.out.begin(eff)
	for i := range in {
		e.train(now, &in[i])
	}
}

// train handles the frames of a train.
func (e *Engine) train(now units.Time, in *sansio.Arrival) {
	t := &in.Train
	e.out.take(in)
	if why := odd(t); why != "" {
		e.Pass(why, t.Frames())
		e.out.pass(0, t.Frames())
		e.out.flush()
		return
	}
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	p := &e.arrived
	deep := inet.UDP(t.Header[inet.EtherLen+inet.IPv4Len:]).DstPort() == wire.DeepPort
	*p = atp.Packet{Src: ip.SrcBytes(), Dst: [4]byte(ip[16:20]), Marked: ip.ECN() == inet.CE, Deep: deep, Unstored: t.Unstored}
	p.At, _ = dataplane.IsInbound(in.Port)
	for f := range t.Frames() {
		p.Payload = t.Payload(f)
		e.emit(f, p, e.packet(now, p))
	}
	e.out.flush()
}

// odd says why the frames of a train are not ATP though they go to its port.
func odd(t *sansio.Train) string {
	l, problem := t.Layout()
	switch {
	case problem != inet.OK:
		return string(problem)
	case l.Body != inet.UDPHeaders:
		return atp.CountOptions
	case inet.UDP(t.Header[l.Transport:]).Len()-inet.UDPLen != t.PayloadBytes():
		return string(wire.Oversized) // by what stands behind the UDP packet
	}
	return ""
}
