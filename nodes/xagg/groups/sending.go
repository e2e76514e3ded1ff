package groups

import "github.com/inalab/inalab/internal/units"

// sending is what a receiver knows of one sender: the Checked List and the Lost List of the paper.
type sending struct {
	cfg    *Config
	host   Host
	groups []group
	lost   int // indexes in the lost list
	list   set
	asked  uint32 // loss reports so far
	room   int    // for loss reports until renew
	renew  units.Time
	done   bool
	told   bool

	newLost, newChecked uint64
}

// group is an entry of the Checked List.
type group struct {
	checked bool
	lost    int        // indexes in the lost list
	ask     units.Time // when to ask for them
}

func newSending(c *Config, host Host) *sending {
	return &sending{cfg: c, host: host, groups: make([]group, c.groups()), list: newSet(c.Packets)}
}

// next returns when the first group is due.
func (s *sending) next() units.Time {
	at := units.Never
	for i := range s.groups {
		if g := &s.groups[i]; g.lost > 0 {
			at = min(at, g.ask)
		}
	}
	return at
}

// check compares a group with the element map. Its first check fills the lost list, later ones only
// empty it. A group of which nothing lacks is not looked at again.
func (r *Receiver) check(now units.Time, s *sending, number int) {
	g := &s.groups[number]
	if g.checked && g.lost == 0 {
		return
	}
	first, last := r.cfg.bounds(number)
	before := g.lost
	for i := first; i <= last; i++ {
		switch lacks := !r.has(s.host, i); {
		case lacks && !g.checked:
			s.list.add(i)
			g.lost++
		case !lacks && s.list.has(i):
			s.list.remove(i)
			g.lost--
		}
	}
	s.lost += g.lost - before
	if !g.checked {
		g.checked, g.ask = true, now.Add(r.cfg.Settle)
		s.newChecked += uint64(last - first + 1)
		s.newLost += uint64(g.lost)
	}
}

// ask reports what lacks in groups that are due, after another look at the map. Groups for which there is
// no room are due when there is again.
func (r *Receiver) ask(now units.Time, s *sending) {
	if s.renew <= now {
		s.renew, s.room = now.Add(r.cfg.Again), MaxReports
	}
	var report []uint32
	for n := range s.groups {
		g := &s.groups[n]
		if g.lost == 0 || g.ask > now {
			continue
		}
		if s.room == 0 {
			g.ask = s.renew
			continue
		}
		r.check(now, s, n)
		g.ask = now.Add(r.cfg.Again)
		first, last := r.cfg.bounds(n)
		for i := first; i <= last && g.lost > 0 && s.room > 0; i++ {
			if s.list.has(i) {
				report = append(report, i)
			}
			if len(report) == MaxReport {
				r.report(s, report)
				report = nil
			}
		}
	}
	if len(report) > 0 {
		r.report(s, report)
	}
}

func (r *Receiver) report(s *sending, indexes []uint32) {
	s.asked++
	s.room--
	r.events = append(r.events, Event{Host: s.host, Report: s.asked, Lost: indexes})
}
