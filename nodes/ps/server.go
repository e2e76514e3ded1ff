package ps

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
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
	part    tensor.Part // in memory of its own, from byte 0 on
	sum     []byte
	gen     int // that is added up, or was last
	from    []contributor
	streams []int         // worker of each stream, in the order of ports
	to      []sansio.Port // all streams
	slices  []int         // workers that each slice has come from
	done    int           // slices that were sent
	count   sansio.Tally

	local func(p tensor.Slice, sums []byte) // takes sums for the worker on this host; nil: there is none
}

// contributor is how far one worker is.
type contributor struct {
	rx     tensor.Reader
	gen    int // of the shard that was added last
	broken bool
}

// newShard returns the server of a host, whose ports start at first.
func newShard(cfg Config, first int) *shard {
	number := cfg.server()
	p := cfg.cut().Part(number, number+1)
	p.Lo, p.Hi = 0, p.Hi-p.Lo
	s := &shard{
		number: number, part: p, sum: make([]byte, p.Hi), gen: -1, from: make([]contributor, cfg.Workers),
		streams: cfg.remoteWorkers(), slices: make([]int, (p.Bytes()+sliceBytes-1)/sliceBytes),
	}
	s.done = len(s.slices)
	for i := range s.streams {
		s.to = append(s.to, sansio.Port(first+i))
	}
	for w := range s.from {
		s.from[w].gen = -1
	}
	return s
}

// take takes bytes of stream i.
func (s *shard) take(i int, t *sansio.Train, eff *sansio.Effects) {
	if i < 0 || i >= len(s.streams) {
		s.count.Add(DropServerNobody, 1)
		return
	}
	f := &s.from[s.streams[i]]
	if f.broken {
		s.count.Add(DropServerFault, 1)
		return
	}
	f.rx.Add(t)
	for {
		switch s.slice(f, eff) {
		case tensor.Short:
			return
		case tensor.Wrong:
			s.count.Add(DropServerStep, 1)
			f.broken = true
			return
		}
	}
}

// slice takes the next slice of a worker's stream. A worker starts a generation
// when it has all sums of the one before, so that every slice of that was sent.
func (s *shard) slice(f *contributor, eff *sansio.Effects) tensor.State {
	if f.rx.Empty() {
		return tensor.Short
	}
	if f.gen == s.gen && s.done < len(s.slices) {
		return tensor.Wrong
	}
	p, values, state := f.rx.Next(tensor.Header{Gen: f.gen + 1, Kind: s.number, Bytes: s.part.Bytes()}, s.part, sliceBytes)
	if state == tensor.Ready {
		s.add(f, p, values, eff)
	}
	return state
}

// add adds a slice of a worker, which may be the first of its generation, and sends
// the sums if it is the last.
func (s *shard) add(f *contributor, p tensor.Slice, values []byte, eff *sansio.Effects) {
	if f.gen == s.gen {
		s.gen++
		s.done = 0
		clear(s.sum)
		clear(s.slices)
	}
	if p.Last {
		f.gen++
	}
	vec.AddBE(s.sum[p.Lo:p.Hi], values)
	k := p.Off / sliceBytes
	if s.slices[k]++; s.slices[k] == len(s.from) {
		s.done++
		s.send(p, eff)
	}
}

func (s *shard) send(p tensor.Slice, eff *sansio.Effects) {
	var h *tensor.Header
	if p.Off == 0 {
		h = &tensor.Header{Gen: s.gen, Kind: s.number, Bytes: s.part.Bytes()}
		s.count.Add(CountSums, uint64(len(s.to)))
	}
	if len(s.to) > 0 {
		tensor.Send(s.to, h, s.sum, p.Part, eff)
	}
	if s.local != nil {
		s.local(p, s.sum[p.Lo:p.Hi])
	}
}

// push takes the shard of the worker on this host.
func (s *shard) push(worker int, values []byte, eff *sansio.Effects) {
	for off := 0; off < s.part.Bytes(); off += sliceBytes {
		p := s.part.Slice(off, sliceBytes)
		s.add(&s.from[worker], p, values[p.Lo:p.Hi], eff)
	}
}
