package ps

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/tensor"
)

// Names of counters of servers.
const (
	CountSums        = "ps-sums-sent" // messages, by stream
	DropServerStep   = "ps-server-stream-out-of-step"
	DropServerFault  = "ps-server-bytes-after-fault"
	DropServerNobody = "ps-server-bytes-of-no-worker"
)

// Server is a dedicated server: the sums of one shard.
type Server struct {
	sansio.Untimed // the streams keep the timers

	*shard
}

// NewServer returns the server of a host that has no worker.
func NewServer(cfg Config) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring parameter server %s: %w", cfg.Node, err)
	}
	if cfg.worker() != none {
		return nil, fmt.Errorf("configuring parameter server %s: host %d has a worker: use New", cfg.Node, cfg.Host)
	}
	return &Server{shard: newShard(cfg, 0)}, nil
}

// Handle takes bytes of the workers' streams.
func (s *Server) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		s.take(int(in[i].Port), &in[i].Train, eff)
	}
}

// Counters returns messages sent and faults by reason.
func (s *Server) Counters() []sansio.Count { return s.count.List() }

// shard adds up what the workers send of one shard.
type shard struct {
	number  int
	sums    *tensor.Adder
	streams []int         // worker of each stream, in the order of ports
	to      []sansio.Port // all streams
	count   sansio.Tally

	local func(p tensor.Slice, sums []byte) // takes sums for the worker on this host; nil: there is none
}

// newShard returns the server of a host, whose ports start at first.
func newShard(cfg Config, first int) *shard {
	number := cfg.server()
	s := &shard{
		number: number, streams: cfg.remoteWorkers(),
		sums: tensor.NewAdder(cfg.Workers, number, cfg.cut().Part(number, number+1), cfg.slice()),
	}
	for i := range s.streams {
		s.to = append(s.to, sansio.Port(first+i))
	}
	return s
}

// take takes bytes of stream i.
func (s *shard) take(i int, t *sansio.Train, eff *sansio.Effects) {
	if i < 0 || i >= len(s.streams) {
		s.count.Add(DropServerNobody, 1)
		return
	}
	switch s.sums.Take(s.streams[i], t, func(p tensor.Slice) { s.send(p, eff) }) {
	case tensor.OutOfStep:
		s.count.Add(DropServerStep, 1)
	case tensor.AfterFault:
		s.count.Add(DropServerFault, 1)
	}
}

// send sends sums to all workers.
func (s *shard) send(p tensor.Slice, eff *sansio.Effects) {
	if p.Off == 0 {
		s.count.Add(CountSums, uint64(len(s.to)))
	}
	if len(s.to) > 0 {
		s.sums.Send(s.to, s.number, p, eff)
	}
	if s.local != nil {
		s.local(p, s.sums.Sums(p))
	}
}

// push takes the shard of the worker on this host.
func (s *shard) push(worker int, values []byte, eff *sansio.Effects) {
	s.sums.Push(worker, values, func(p tensor.Slice) { s.send(p, eff) })
}
