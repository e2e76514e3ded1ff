package tcpagg

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/tensor"
)

// Names of counters of servers.
const (
	CountUp              = "tcpagg-sums-sent-up"
	CountDown            = "tcpagg-sums-sent-down" // messages, by stream
	DropServerOutOfStep  = "tcpagg-server-stream-out-of-step"
	DropServerAfterFault = "tcpagg-server-bytes-after-fault"
	DropServerWrongPort  = "tcpagg-server-bytes-of-no-peer"
)

// Server is a server of the tree, or its root, the PS.
type Server struct {
	sansio.Untimed // the streams keep the timers

	cfg      Config
	part     tensor.Part
	first    int           // port of the first child
	children int           // their number
	down     []sansio.Port // that sums of all workers leave by
	sums     *tensor.Adder
	parent   tensor.Inlet // what the parent sends
	relayed  int          // generation whose sums it sends next
	count    sansio.Tally
}

// NewServer returns the server of a host.
func NewServer(cfg Config) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring server %s of TCP-Agg: %w", cfg.Node, err)
	}
	if cfg.Host < cfg.Workers {
		return nil, fmt.Errorf("configuring server %s of TCP-Agg: host %d is a worker: use New", cfg.Node, cfg.Host)
	}
	n := len(cfg.children(cfg.Host))
	s := &Server{cfg: cfg, part: cfg.part(), children: n, sums: tensor.NewAdder(n, kindUp, cfg.part(), sliceBytes)}
	if !s.root() {
		s.first = 1
	}
	s.down = s.downstream()
	return s, nil
}

func (s *Server) root() bool { return s.cfg.Host == s.cfg.ps() }

// downstream returns the ports by which sums of all workers leave: those of children, or with
// direct streams those of workers, which are at the PS alone.
func (s *Server) downstream() (out []sansio.Port) {
	for port, p := range s.cfg.Peers() {
		if p.Passive && (!s.cfg.Direct || s.root() && p.Host < s.cfg.Workers) {
			out = append(out, sansio.Port(port))
		}
	}
	return out
}

// Handle takes bytes of the streams of children and parent.
func (s *Server) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		s.note(s.take(int(in[i].Port), &in[i].Train, eff))
	}
}

// note counts what was not taken.
func (s *Server) note(f tensor.Fault) {
	switch f {
	case tensor.OutOfStep:
		s.count.Add(DropServerOutOfStep, 1)
	case tensor.AfterFault:
		s.count.Add(DropServerAfterFault, 1)
	}
}

// take takes bytes of a port.
func (s *Server) take(port int, t *sansio.Train, eff *sansio.Effects) tensor.Fault {
	child := port - s.first
	switch {
	case child >= 0 && child < s.children:
		return s.sums.Take(child, t, func(p tensor.Slice) { s.ready(p, eff) })
	case port == 0 && !s.cfg.Direct: // the parent's: a child has port 0 at the PS
		return s.parent.Take(t, func(rx *tensor.Reader) tensor.State { return s.relay(rx, eff) })
	}
	s.count.Add(DropServerWrongPort, 1)
	return tensor.NoFault
}

// ready sends a slice that all children have brought: up, or from the PS down.
func (s *Server) ready(p tensor.Slice, eff *sansio.Effects) {
	if s.root() {
		s.noteDown(p)
		s.sums.Send(s.down, kindDown, p, eff)
		return
	}
	if p.Off == 0 {
		s.count.Add(CountUp, 1)
	}
	s.sums.Send(up, kindUp, p, eff)
}

// relay sends the next slice of the sums of all workers, which come from the parent, to the
// children.
func (s *Server) relay(rx *tensor.Reader, eff *sansio.Effects) tensor.State {
	h := tensor.Header{Gen: s.relayed, Kind: kindDown, Bytes: s.part.Bytes()}
	p, sums, state := rx.Next(h, s.part, sliceBytes)
	if state != tensor.Ready {
		return state
	}
	s.noteDown(p)
	var first *tensor.Header
	if p.Off == 0 {
		first = &h
	}
	tensor.Send(s.down, first, sums, tensor.Part{Hi: len(sums), Unstored: p.Unstored}, eff)
	if p.Last {
		s.relayed++
	}
	return state
}

// noteDown counts a message to the children, at its first slice.
func (s *Server) noteDown(p tensor.Slice) {
	if p.Off == 0 {
		s.count.Add(CountDown, uint64(len(s.down)))
	}
}

// Counters returns messages sent and faults by reason.
func (s *Server) Counters() []sansio.Count { return s.count.List() }
