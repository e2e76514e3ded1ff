package groups

import "github.com/inalab/inalab/internal/units"

// Packet is what a sender sends next.
type Packet struct {
	Index uint32
	Ends  bool // it ends a group, or what is sent again: the flag of the check queue
	Again bool // it was sent before
}

// SenderDrops counts what a sender did not use.
type SenderDrops struct {
	BadIndex uint64 // index 0, beyond the gradient or not sent yet
	Repeated uint64 // loss reports that came before
}

// reportWindow is how many loss reports may overtake each other: those before are taken for
// repeated (assumed). Their indexes are asked for again.
const reportWindow = 64

// Sender says which packets of a gradient to send, and when to say that all are sent.
type Sender struct {
	cfg      Config
	next     uint32   // of the first pass
	again    []uint32 // to be sent again, in the order of reports
	queued   set
	newest   uint32 // loss report
	seen     uint64 // of the reports up to the newest, one bit each
	end      units.Time
	complete bool
	drops    SenderDrops
}

// NewSender returns the sender of a gradient.
func NewSender(c Config) (*Sender, error) {
	c.resolve()
	if err := c.validate(); err != nil {
		return nil, err
	}
	return &Sender{cfg: c, next: 1, queued: newSet(c.Packets), end: units.Never}, nil
}

// Next returns the packet to send now; false if there is none. What was lost goes first. After the
// last packet, [Sender.Expire] has the end to say.
func (s *Sender) Next(now units.Time) (Packet, bool) {
	if s.complete || len(s.again) == 0 && s.next > s.cfg.Packets {
		return Packet{}, false
	}
	p := Packet{Index: s.next}
	if len(s.again) > 0 {
		p = Packet{Index: s.again[0], Again: true, Ends: len(s.again) == 1}
		s.again = s.again[1:]
		s.queued.remove(p.Index)
	} else {
		s.next++
	}
	p.Ends = p.Ends || s.cfg.ends(p.Index)
	if len(s.again) == 0 && s.next > s.cfg.Packets {
		s.end = now
	}
	return p, true
}

// Report takes a loss report. Indexes that wait to be sent again are not taken twice.
func (s *Sender) Report(number uint32, lost []uint32) {
	if s.complete {
		return
	}
	if s.repeated(number) {
		s.drops.Repeated++
		return
	}
	for _, i := range lost {
		switch {
		case i < 1 || i >= s.next:
			s.drops.BadIndex++
		case !s.queued.has(i):
			s.queued.add(i)
			s.again = append(s.again, i)
		}
	}
	if len(s.again) > 0 {
		s.end = units.Never
	}
}

// repeated notes the number of a report, and says whether it came before.
func (s *Sender) repeated(number uint32) bool {
	if number > s.newest {
		if shift := number - s.newest; shift < reportWindow {
			s.seen = s.seen<<shift | 1
		} else {
			s.seen = 1
		}
		s.newest = number
		return false
	}
	age := s.newest - number
	if age >= reportWindow || s.seen&(1<<age) != 0 {
		return true
	}
	s.seen |= 1 << age
	return false
}

// Complete takes the receiver's word that all packets are there.
func (s *Sender) Complete() {
	s.complete, s.end, s.again = true, units.Never, nil
}

// Finished reports whether the receiver has all packets.
func (s *Sender) Finished() bool { return s.complete }

// NextDeadline returns when [Sender.Expire] must be called.
func (s *Sender) NextDeadline() units.Time { return s.end }

// Expire reports whether to say now that everything is sent.
func (s *Sender) Expire(now units.Time) bool {
	if s.complete || s.end > now {
		return false
	}
	s.end = now.Add(s.cfg.Again)
	return true
}

// Drops returns what the sender did not use.
func (s *Sender) Drops() SenderDrops { return s.drops }
