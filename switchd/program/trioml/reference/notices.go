package reference

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Defaults of the classification, both assumed: some timeouts go by between two
// looks, and a second or so until a worker is taken for dead.
const (
	DefaultLook           = 100 * units.Millisecond
	DefaultPermanentAfter = 10
)

// Names of counters of notices, by kind; CountRelayed are those of the level below.
const (
	CountTemporary = "trioml-notices-temporary"
	CountPermanent = "trioml-notices-permanent"
	CountBack      = "trioml-notices-back"
	CountRelayed   = "trioml-notices-relayed"
)

var noticeCounts = map[uint8]string{wire.AgeTemporary: CountTemporary, wire.AgePermanent: CountPermanent, wire.AgeBack: CountBack}

// Stragglers says how temporary are told from permanent stragglers (trio §5, "Advanced
// straggler mitigation").
type Stragglers struct {
	Look           units.Duration // between two looks at the sources of a job; zero: DefaultLook
	PermanentAfter int            // looks in a row with a straggler event; zero: DefaultPermanentAfter
}

// Resolved returns s with its defaults, or an error that names the bad field.
func (s Stragglers) Resolved() (Stragglers, error) {
	if s.Look == 0 {
		s.Look = DefaultLook
	}
	if s.PermanentAfter == 0 {
		s.PermanentAfter = DefaultPermanentAfter
	}
	if s.PermanentAfter < 1 {
		return s, fmt.Errorf("a source is never permanent after %d looks: use 1 or more", s.PermanentAfter)
	}
	if s.Look < 0 || s.Look > MaxTimeout {
		return s, fmt.Errorf("looking at stragglers every %v: at most %v is possible", s.Look, MaxTimeout)
	}
	return s, nil
}

// Threads returns how many timer threads look, so that each of the jobs has one of
// its own: job k is looked at by thread k modulo their number.
func (Stragglers) Threads(jobs []Job) int {
	n := 1
	for _, j := range jobs {
		n = max(n, int(j.ID)+1)
	}
	return n
}

// NewAdvanced is New for a PFE that also classifies stragglers and notifies the
// workers, and relays the notices of PFEs below.
func NewAdvanced(cfg Config, s Stragglers) (*Program, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, fmt.Errorf("configuring trioml on %s: %w", cfg.Node, err)
	}
	p, err := New(cfg)
	if err != nil {
		return nil, err
	}
	p.looks = &looks{beat: beat{int64(s.Look), int64(s.Threads(cfg.Jobs))}, after: uint32(s.PermanentAfter)}
	return p, nil
}

// looks are the seldom timer threads.
type looks struct {
	beat
	after uint32 // strikes of a permanent straggler
	tick  int64  // number of the next firing
	fired bool   // since mattered was last called
}

// conduct is what is known of the sources of a job.
type conduct struct {
	missed  trace.Mask  // sources that a block lacked that aged out since the last look
	ended   int         // blocks, sent or superseded
	looked  int         // ended at the last look
	strikes [256]uint32 // looks in a row with a straggler event
}

// next returns the instant of the next firing; never where nobody looks.
func (l *looks) next() units.Time {
	if l == nil {
		return units.Never
	}
	return l.at(l.tick)
}

// mattered reports whether there was a look since the last call.
func (l *looks) mattered() bool {
	if l == nil {
		return false
	}
	fired := l.fired
	l.fired = false
	return fired
}

// look runs the looks that are due. A driver that is late by a period or more gets
// one firing of each thread.
func (p *Program) look(now units.Time, eff *sansio.Effects) {
	l := p.looks
	if int64(now.Sub(l.next())) >= l.period {
		l.tick = max(l.tick, l.firstAfter(now)-l.n)
	}
	for ; l.next() <= now; l.tick++ {
		l.fired = true
		for id := l.tick % l.n; id < int64(len(p.jobs)); id += l.n {
			if j := p.jobs[id]; j != nil {
				p.judge(j, eff)
			}
		}
	}
}

// judge looks at every source of a job; a job of which no block came to its end
// says nothing about them.
func (p *Program) judge(j *job, eff *sansio.Effects) {
	c := &j.conduct
	if c.ended == c.looked {
		return
	}
	c.looked = c.ended
	missed := c.missed.Or(j.absent)
	c.missed = trace.Mask{}
	for i := range j.conduct.strikes {
		s := uint8(i)
		switch {
		case !j.mask.Has(s):
		case missed.Has(s):
			p.strike(j, s, eff)
		case c.strikes[s] > 0:
			c.strikes[s] = 0
			p.notify(j, wire.Notice{Source: s, Change: wire.AgeBack}, eff)
		}
	}
}

// strike gives a source a strike more. No block waits for one that is out of
// service, until it is heard from again.
func (p *Program) strike(j *job, s uint8, eff *sansio.Effects) {
	n := j.conduct.strikes[s] + 1
	j.conduct.strikes[s] = n
	if n >= p.looks.after {
		j.absent.Set(s)
	}
	notice := wire.Notice{Source: s, Change: wire.AgeTemporary, Strikes: uint8(min(n, 255))}
	switch n {
	case p.looks.after:
		notice.Change = wire.AgePermanent
		p.notify(j, notice, eff)
	case 1:
		p.notify(j, notice, eff)
	}
}

func (p *Program) notify(j *job, n wire.Notice, eff *sansio.Effects) {
	p.count.Add(noticeCounts[n.Change], 1)
	j.tell(n, j.template, eff)
}

// tell sends a notice by the way of results, with the newest generation.
func (j *job) tell(n wire.Notice, template []byte, eff *sansio.Effects) {
	n.Job = j.ID
	if j.started {
		n.Gen = j.newest
	}
	payload := eff.Body(wire.HeaderLen)
	n.Put(payload)
	eff.Emit(j.To, template, payload)
}

// relay passes a notice of a PFE below on; false if the frame is something else. A
// notice has a time to live, for PFEs in a circle.
func (p *Program) relay(now units.Time, from sansio.Port, header, payload []byte, eff *sansio.Effects) bool {
	_, fabric := dataplane.IsFabric(from)
	n, ok := wire.ParseNotice(payload)
	ttl := inet.IPv4(header[inet.EtherLen:]).TTL()
	if !fabric && from != dataplane.Served || !ok || ttl < 2 {
		return false
	}
	j := p.jobs[n.Job]
	if j == nil {
		p.drop(now, wire.Header{Job: n.Job, Block: wire.NoticeBlock, Source: n.Source, Gen: n.Gen}, DropUnknownJob)
		return true
	}
	template := eff.Header(len(j.template))
	copy(template, j.template)
	ip := inet.IPv4(template[inet.EtherLen:])
	ip.SetTTL(ttl - 1)
	ip.UpdateChecksum()
	p.count.Add(CountRelayed, 1)
	j.tell(n, template, eff)
	return true
}
