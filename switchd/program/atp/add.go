package atp

import (
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Check returns what is wrong with a job; nil: nothing.
func (j *Job) Check() *dataplane.Refusal {
	if j.Levels < 0 || j.Levels > wire.MaxLevels {
		return dataplane.Refuse(dataplane.RefusedLevels, "aggregate at fewer switches", "job %d has %d levels: headers have at most %d", j.ID, j.Levels, wire.MaxLevels)
	}
	if len(j.Servers) == 0 {
		return dataplane.Refuse(dataplane.RefusedServer, "name at least one", "job %d has no parameter server", j.ID)
	}
	for i := range j.Servers {
		s := &j.Servers[i]
		if r := j.checkServer(s); r != nil {
			return r
		}
		if slices.ContainsFunc(j.Servers[:i], func(o Server) bool { return o.Addr == s.Addr }) {
			return dataplane.Refuse(dataplane.RefusedServer, "give each server an address of its own", "job %d has two servers at %v", j.ID, s.Addr)
		}
	}
	return nil
}

func (j *Job) checkServer(s *Server) *dataplane.Refusal {
	switch {
	case !s.Addr.Is4() || s.Addr.IsUnspecified() || s.Addr.IsMulticast():
		return dataplane.Refuse(dataplane.RefusedServer, "give the IPv4 address of its host", "job %d has a server at %v", j.ID, s.Addr)
	case len(s.Ports) == 0:
		return dataplane.Refuse(dataplane.RefusedServer, "give the ports that lead to it", "job %d: its server at %v is reached by no port", j.ID, s.Addr)
	case outOfRange(s.Ports):
		return dataplane.Refuse(dataplane.RefusedServer, "give front-panel ports, from 0", "job %d: its server at %v is reached by ports %v", j.ID, s.Addr, s.Ports)
	case len(s.Parts()) > j.levels():
		return dataplane.Refuse(dataplane.RefusedLevels, "give no more parts than levels", "job %d of %d levels: for the server at %v the switch has parts of %d", j.ID, j.levels(), s.Addr, len(s.Parts()))
	case s.inUse() > 1 && j.Deep():
		return dataplane.Refuse(dataplane.RefusedLevels, "make all of them sources of the highest", "job %d: for the server at %v the switch has parts of %d levels", j.ID, s.Addr, s.inUse())
	case s.inUse() > 1: // bitmaps of both would meet in one aggregator
		return dataplane.Refuse(dataplane.RefusedLevels, "make workers in the server's rack sources of the second level",
			"job %d: for the server at %v the switch is both the first and the second edge switch", j.ID, s.Addr)
	}
	for _, l := range s.Parts() {
		if r := j.checkLevel(s.Addr, &l); r != nil {
			return r
		}
	}
	return nil
}

// inUse counts the parts that have sources.
func (s *Server) inUse() (n int) {
	for _, l := range s.Parts() {
		if len(l.Sources) > 0 {
			n++
		}
	}
	return n
}

// checkLevel checks the sources of a level for the server at an address.
func (j *Job) checkLevel(at netip.Addr, l *Level) *dataplane.Refusal {
	if n := l.FanIn(); n > wire.MaxFanIn {
		return dataplane.Refuse(dataplane.RefusedManySources, "name at most 32: a bitmap has 32 bits", "job %d, server at %v: %d sources of one level", j.ID, at, n)
	}
	for i := range l.Sources {
		s := &l.Sources[i]
		switch {
		case s.Bit >= wire.MaxFanIn:
			return dataplane.Refuse(dataplane.RefusedSource, "give bits 0 to 31", "job %d, server at %v: source %s has bit %d", j.ID, at, s.Name, s.Bit)
		case len(s.Ports) == 0:
			return dataplane.Refuse(dataplane.RefusedSource, "give the ports that lead to it", "job %d, server at %v: source %s comes by no port", j.ID, at, s.Name)
		case outOfRange(s.Ports):
			return dataplane.Refuse(dataplane.RefusedSource, "give front-panel ports, from 0", "job %d, server at %v: source %s comes by ports %v", j.ID, at, s.Name, s.Ports)
		case len(s.Workers) == 0:
			return dataplane.Refuse(dataplane.RefusedSource, "name the workers behind it", "job %d, server at %v: source %s has no workers", j.ID, at, s.Name)
		}
		if k := slices.IndexFunc(l.Sources[:i], func(o Source) bool { return o.Bit == s.Bit }); k >= 0 {
			return dataplane.Refuse(dataplane.RefusedSource, "give each source a bit of its own",
				"job %d, server at %v: sources %s and %s share bit %d", j.ID, at, l.Sources[k].Name, s.Name, s.Bit)
		}
	}
	return nil
}

// outOfRange reports whether some port is none of a front panel.
func outOfRange(ports []sansio.Port) bool {
	return slices.ContainsFunc(ports, func(p sansio.Port) bool {
		_, fabric := dataplane.IsFabric(p)
		_, in := dataplane.IsInbound(p)
		_, out := dataplane.IsOutbound(p)
		return p < 0 || fabric || in || out
	})
}

// AddAll adds the jobs of a configuration, up to the first that is refused.
func (t *Table) AddAll(jobs []Job) error {
	for i := range jobs {
		if _, err := t.Add(&jobs[i]); err != nil {
			return err
		}
	}
	return nil
}

// Add adds the job that a document is. An error is a [*dataplane.Refusal], and nothing has
// changed. Aggregators that an earlier job of that id has left are the program's to free.
func (t *Table) Add(d dataplane.Document) (id uint8, err error) {
	j, ok := d.(*Job)
	if !ok {
		return 0, dataplane.RefuseOther(d, Protocol, "give the servers, and the workers behind this switch")
	}
	if r := j.Check(); r != nil {
		return 0, r
	}
	if t.jobs[j.ID] != nil {
		return 0, dataplane.RefuseTaken(int(j.ID), t.cfg.Node)
	}
	t.jobs[j.ID] = newEntry(j)
	return j.ID, nil
}

// RemoveJob takes a job out. Aggregators that it has stay, as the switch cannot tell a dead job from a
// slow one (§3.7): they are freed by age. Those that lack packets are counted as open.
func (t *Table) RemoveJob(_ units.Time, id uint8) (out dataplane.Removed, err error) {
	e := t.jobs[id]
	if e == nil {
		return out, dataplane.RefuseUnknown(int(id), t.cfg.Node)
	}
	for a := range t.held {
		if a.Job == id && !a.complete() {
			out.OpenBlocks++
		}
	}
	out.Counters = e.Counts.List("")
	t.jobs[id] = nil
	t.CountsOf(id).add(&e.Counts)
	return out, nil
}

// newEntry returns the entry of a job, which shares nothing with it.
func newEntry(j *Job) *Entry {
	e := &Entry{ID: j.ID}
	if j.Deep() {
		e.deep = uint8(j.Levels)
	}
	for i := range j.Servers {
		s := &j.Servers[i]
		to := server{addr: s.Addr.As4(), ports: slices.Clone(s.Ports)}
		for level, l := range s.Parts() {
			if len(l.Sources) > 0 {
				to.parts[level] = newPart(level, &l)
				e.sources = e.sources.Or(to.parts[level].whole)
			}
		}
		e.servers = append(e.servers, to)
	}
	return e
}

func newPart(level int, l *Level) *Part {
	p := &Part{Level: level, FanIn: l.FanIn()}
	for i := range l.Sources {
		s := &l.Sources[i]
		var m trace.Mask
		for _, w := range s.Workers {
			m.Set(w)
		}
		p.bits[s.Bit] = source{ports: slices.Clone(s.Ports), workers: m, first: slices.Min(s.Workers)}
		p.whole = p.whole.Or(m)
	}
	return p
}
