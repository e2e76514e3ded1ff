package atpps

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Names of counters of servers. Of contributions, each packet that is added is one that the server
// added; those in it beyond the first were added by switches.
const (
	CountPackets  = "atp-server-packets"        // gradient packets that were copied
	CountWhole    = "atp-server-added-whole"    // packets added with the values of all workers, or of all but that on the server's host
	CountPartial  = "atp-server-added-partial"  // of some
	CountSingle   = "atp-server-added-single"   // of one
	CountInSwitch = "atp-server-switch-added"   // contributions that switches added
	CountLocal    = "atp-server-added-local"    // packets added of the worker on the server's host
	CountReplaced = "atp-server-replaced"       // sums that a packet with more workers took the place of
	CountMarked   = "atp-server-marked"         // packets with a mark, of themselves or of a queue before the server
	CountAnswered = "atp-server-answered"       // fragments
	CountAgain    = "atp-server-answered-again" // parameter packets sent again
	CountRehashed = "atp-server-rehashed"       // fragments answered with a new index
	CountFloats   = "atp-server-float-requests" // requests for floats, also those sent again
	CountClipped  = "atp-server-clipped"        // fragments that floats were asked of for
	CountSetups   = "atp-server-set-ups"        // of the job, beyond the first (A.3)
	CountDropped  = "atp-server-begun-anew"     // fragments that were not complete then
	CountGoOn     = "atp-server-told-to-go-on"  // packets that tell workers of it
)

// Names of counters of packets that a server drops; those that are no packets of ATP have the
// names of the wire format.
const (
	DropEarlier   = "atp-server-earlier-set-up"
	DropForeign   = "atp-server-foreign-packet"
	DropStranger  = "atp-server-not-from-a-worker" // by its address
	DropJob       = "atp-server-other-job"
	DropParameter = "atp-server-parameter-packet" // which servers send
	DropStream    = "atp-server-other-stream"     // a number of no stream of this server
	DropStale     = "atp-server-stale"            // a number that no worker needs any more
	DropAhead     = "atp-server-ahead"            // a number that no worker can have come to
	DropRing      = "atp-server-ring-full"
	DropDuplicate = "atp-server-duplicate"
	DropAnswered  = "atp-server-answered-before" // a copy of a packet of a fragment that is answered
	DropOverlap   = "atp-server-overlap"         // some of its workers are in the sum, and some are not
	DropMixed     = "atp-server-mixed-values"    // values where the fragment has lengths only, or the reverse

	DropRack   = "atp-server-unknown-rack"
	DropRacks  = "atp-server-some-racks" // several racks, and not all
	DropWorker = "atp-server-unknown-worker"
	DropParts  = "atp-server-part-as-whole" // some workers of a rack, which no switch has resent
	DropLevels = "atp-server-other-levels"  // a header of more or fewer levels than those of the job
	DropPlace  = "atp-server-unknown-place" // bits of several levels that stand for nobody

	DropUnasked   = "atp-server-unasked-floats"
	DropFloatSum  = "atp-server-floats-of-several" // floats meet no switch that adds
	DropClippedIn = "atp-server-integers-after-floats"
)

// Server is one parameter server of a job.
type Server struct {
	cfg       Config // of the set-up at hand
	setup     int    // which one that is; 0: the first
	first     uint8  // id of that one
	to        []sansio.Port
	template  []byte
	streams   []stream
	racks     [wire.MaxFanIn]*Rack // by bit of the second level
	second    uint32               // bits of all racks
	root      *node                // the server's switch, of more than two levels
	everybody trace.Mask
	local     trace.Mask // the worker on the server's host, if there is one
	others    trace.Mask
	from      map[netip.Addr]bool // addresses of workers; nil: any
	indexes   indexes
	copying   copying
	count     sansio.Tally
	now       units.Time // of the call at hand
	inSums    uint64     // contributions that came in sums of several workers
	alone     uint64     // others
}

// packet is a gradient packet that was copied.
type packet struct {
	wire.Header
	values []byte // nil: they are unstored
	set    trace.Mask
}

// New returns a server that has taken no packet yet. Its one port is its host's interface.
func New(cfg Config) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring parameter server %s: %w", cfg.Node, err)
	}
	s := &Server{cfg: cfg, first: cfg.Job, to: []sansio.Port{0}, copying: newCopying(&cfg)}
	s.direct()
	for _, n := range cfg.Streams {
		s.streams = append(s.streams, newStream(n, cfg.Span))
	}
	if len(cfg.From) > 0 {
		s.from = map[netip.Addr]bool{}
	}
	for _, a := range cfg.From {
		s.from[a] = true
	}
	return s, nil
}

// Counters returns packets by type and drops by reason.
func (s *Server) Counters() []sansio.Count { return s.count.List() }

// Contributions returns how many came so far in sums of several workers, and how many alone.
func (s *Server) Contributions() (inSwitches, atServer uint64) { return s.inSums, s.alone }

// Handle takes gradient packets, which are copied first.
func (s *Server) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	s.Expire(now, eff)
	s.now = now
	for i := range in {
		t := &in[i].Train
		ip, udp, ok := t.UDP()
		if !ok || ip.Dst() != s.cfg.Flow.Src || udp.DstPort() != wire.PortOf(s.cfg.Levels) {
			s.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		if s.from != nil && !s.from[ip.Src()] {
			s.count.Add(DropStranger, uint64(t.Frames()))
			continue
		}
		for f := range t.Frames() {
			s.arrive(now, t, f, ip.ECN() == inet.CE, eff)
		}
	}
}

// Local takes gradient packets of the worker on the server's host. They are in its memory: no link has
// marked them, and they are not copied.
func (s *Server) Local(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	s.Expire(now, eff)
	s.now = now
	for i := range in {
		t := &in[i].Train
		for f := range t.Frames() {
			var p packet
			if problem := s.parse(&p, t, f); problem != wire.OK {
				s.count.Add(string(problem), 1)
				continue
			}
			p.set = s.local
			s.take(&p, eff)
		}
	}
}

// parse reads frame f of a train.
func (s *Server) parse(p *packet, t *sansio.Train, f int) wire.Problem {
	payload := t.Payload(f)
	problem := s.read(&p.Header, payload, t.Unstored)
	if problem == wire.OK && t.Unstored == 0 {
		p.values = payload[p.Len():]
	}
	return problem
}

// arrive takes frame f of a train, which may have been marked on its way.
func (s *Server) arrive(now units.Time, t *sansio.Train, f int, marked bool, eff *sansio.Effects) {
	var p packet
	if problem := s.parse(&p, t, f); problem != wire.OK {
		s.count.Add(string(problem), 1)
		return
	}
	if marked {
		p.Flags |= wire.ECN
	}
	switch {
	case s.copying.rate == 0:
		s.take(&p, eff)
	case !s.copying.add(now, &p, t.FrameBytes(f)):
		s.count.Add(DropRing, 1)
	}
}

// read reads the header of a packet to the job's port.
func (s *Server) read(h *wire.Header, payload []byte, unstored int) wire.Problem {
	if s.cfg.Levels > 0 {
		return h.ReadDeep(payload, unstored)
	}
	return h.Read(payload, unstored)
}

// NextDeadline returns when the next frame is copied.
func (s *Server) NextDeadline() units.Time { return s.copying.next() }

// Expire takes what is copied by now.
func (s *Server) Expire(now units.Time, eff *sansio.Effects) {
	s.now = now
	for s.copying.next() <= now {
		s.take(s.copying.first(), eff)
		s.copying.remove()
	}
}

// take finds out what a packet is of, and adds it to that. One of the worker on the server's host has its set.
func (s *Server) take(p *packet, eff *sansio.Effects) {
	if s.setsUp(p, eff) {
		return
	}
	local := p.set != (trace.Mask{})
	if !local {
		s.count.Add(CountPackets, 1)
	}
	if p.Flags.Has(wire.ECN) {
		s.count.Add(CountMarked, 1)
	}
	st, reason := s.streamOf(p)
	if reason == "" && !local {
		p.set, reason = s.whose(&p.Header)
	}
	var e *entry
	if reason == "" {
		e, reason = st.entry(p.Sequence)
	}
	if reason != "" {
		s.drop(p, reason)
		return
	}
	s.merge(st, e, p, eff)
}

// streamOf returns the stream of a packet, or why it has none here.
func (s *Server) streamOf(p *packet) (st *stream, reason string) {
	switch {
	case p.Job != s.cfg.Job:
		return nil, DropJob
	case p.Flags.Has(wire.IsAck):
		return nil, DropParameter
	}
	if st = s.streamWith(p.Sequence); st == nil {
		return nil, DropStream
	}
	return st, ""
}
