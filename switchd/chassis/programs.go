package chassis

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/dataplane"
)

// isProgram reports whether an engine is a program beside that of the system; nil is none.
func (e *engine) isProgram() bool { return e != nil && e.title != "" }

// admit gives an engine its place among those that frames in transit pass, and refuses one
// that would have no frame, or the name of another.
func (c *Chassis) admit(e *engine) []error {
	p := &c.pfes[e.pfe]
	if err := dataplane.MatchOf(e.Engine).Validate(); err != nil {
		return []error{c.misplace(e, "program %q of "+namesPFE+": %w", e.title, err)}
	}
	errs := []error{c.checkName(e), c.checkOwnPorts(e), c.share(e, e.Engine)}
	if e.wants.Transit {
		errs = append(errs, c.checkReached(e, p.inbound, "arrive"))
		at := len(p.inbound)
		if at > 0 && e.isProgram() && p.inbound[at-1] == p.system {
			at--
		}
		p.inbound = slices.Insert(p.inbound, at, e)
	}
	if e.wants.Leaving {
		errs = append(errs, c.checkReached(e, p.outbound, "leave"))
		p.outbound = append(p.outbound, e)
	}
	return errs
}

// share has a new engine in the place of e run on the machine of those of the PFE.
func (c *Chassis) share(e *engine, made dataplane.Engine) error {
	s, ok := made.(dataplane.Sharing)
	if !ok {
		return nil
	}
	var others []dataplane.Engine
	for _, o := range c.pfes[e.pfe].engines {
		if o == e && e.Engine == made {
			break // those behind it come later
		}
		if o != e {
			others = append(others, o.Engine)
		}
	}
	if err := s.Share(others); err != nil {
		return c.misplace(e, "program %q of "+namesPFE+": %w", e.title, err)
	}
	return nil
}

// checkName refuses a program of the name of another on its PFE.
func (c *Chassis) checkName(e *engine) error {
	for _, o := range c.pfes[e.pfe].engines {
		if o == e {
			return nil
		}
		if o.isProgram() && o.title == e.title {
			return c.misplace(e, "two programs of "+namesPFE+" are called %q: give one another name", e.title)
		}
	}
	return nil
}

// checkReached refuses a program whose frames all are those of one before it.
func (c *Chassis) checkReached(e *engine, before []*engine, when string) error {
	own := dataplane.MatchOf(e.Engine)
	for _, o := range before {
		if o == e {
			return nil
		}
		if m := dataplane.MatchOf(o.Engine); o.isProgram() && e.isProgram() && m.Covers(own) {
			return c.misplace(e, "program %q of "+namesPFE+" would have no frame: of those that %s, %q before it has %s: put %q first, narrow a match, or run one on another PFE",
				e.title, when, o.title, m, e.title)
		}
	}
	return nil
}

// checkOwnPorts refuses a program for frames that leave and that sends by ports of another
// PFE: two such programs could send a frame to each other for ever.
func (c *Chassis) checkOwnPorts(e *engine) error {
	if _, ok := e.Engine.(dataplane.Matched); !ok || !e.wants.Leaving {
		return nil
	}
	for _, p := range e.Ports() {
		if c.isWired(p) && max(0, c.cfg.Switch.Ports[p].PFE) != e.pfe {
			return c.misplace(e, "program %q of "+namesPFE+" sees frames that leave, and sends by port %s, which is of %s: name ports of its own PFE",
				e.title, c.cfg.Switch.Ports[p].Name, c.cfg.pfeName(c.cfg.Switch.Ports[p].PFE))
		}
	}
	return nil
}

// Loaded is a program beside that of the system.
type Loaded struct {
	PFE    int
	Name   string
	Engine dataplane.Engine
}

// Loaded returns the programs beside those of the system, in the order of Config.Transit.
func (c *Chassis) Loaded() (out []Loaded) {
	for _, e := range c.engines {
		if e.isProgram() {
			out = append(out, Loaded{PFE: e.pfe, Name: e.title, Engine: e.Engine})
		}
	}
	return out
}

// program returns the program of a name on a PFE.
func (c *Chassis) program(pfe int, name string) (*engine, error) {
	list := c.pfes[pfe].engines
	if i := slices.IndexFunc(list, func(e *engine) bool { return e.isProgram() && e.title == name }); i >= 0 {
		return list[i], nil
	}
	return nil, dataplane.Refuse(dataplane.RefusedUnknownProgram, fixProgram(titles(list)), "there is no program %q on %s", name, c.engineName(pfe))
}

// titles returns how the programs among some engines are called, each once.
func titles(list []*engine) (out []string) {
	for _, e := range list {
		if e.isProgram() && !slices.Contains(out, e.title) {
			out = append(out, e.title)
		}
	}
	return out
}

func fixProgram(have []string) string {
	if len(have) == 0 {
		return "no program is loaded there"
	}
	return fmt.Sprintf("there are %q", have)
}

// Replace has a program of a PFE replaced by another of its name and system, whose
// configuration p has. Frames that come from now on pass the new one, whose memory is as its
// configuration says. Those inside the old one are lost and counted under "program-replaced";
// it returns how many. The counters of both are added up. An error is a [*dataplane.Refusal], and
// the old program goes on. It must not be called within Handle or Expire.
func (c *Chassis) Replace(p Program) (inFlight int, err error) {
	if p.PFE < 0 || p.PFE >= len(c.pfes) {
		return 0, dataplane.Refuse(dataplane.RefusedUnknownProgram, fmt.Sprintf("there are %d, counted from 0", len(c.pfes)), "there is no PFE %d", p.PFE)
	}
	e, err := c.program(p.PFE, p.title())
	if err != nil {
		return 0, err
	}
	next, err := c.successor(e, p)
	if err != nil {
		return 0, dataplane.Refuse(dataplane.RefusedProgram, "correct it and replace again: the old program goes on", "%v", err)
	}
	if h, ok := e.Engine.(dataplane.Holding); ok {
		inFlight = h.Inside()
	}
	if inFlight > 0 {
		c.count.Add(dropReplaced+"/"+e.name, uint64(inFlight))
	}
	e.become(next)
	return inFlight, nil
}

// become has a program go on as another.
func (e *engine) become(next *engine) {
	e.former.Merge(e.Engine.Counters())
	if s, ok := e.Engine.(dataplane.Sharing); ok {
		s.Retire()
	}
	e.Engine, e.wants = next.Engine, next.wants
	e.front, e.fabric = next.front, next.fabric
	e.part.owed, e.part.next = false, e.NextDeadline()
}

// Reload replaces a program by another source on a PFE, or where pfe is negative on all that have
// a program of that name, the first first. The rest of its configuration stays: match, side, next
// hops, timers and initial memory, which the new program has to have. It is otherwise as Replace,
// and ends at the first refusal.
func (c *Chassis) Reload(pfe int, name, file, text string) (out []dataplane.Replaced, err error) {
	for i := range c.pfes {
		if pfe >= 0 && pfe != i {
			continue
		}
		e, err := c.program(i, name)
		if err != nil && pfe >= 0 {
			return out, err
		}
		if err != nil {
			continue
		}
		n, err := c.reload(e, file, text)
		if err != nil {
			return out, err
		}
		out = append(out, dataplane.Replaced{PFE: c.cfg.pfeName(i), Program: name, InFlight: n})
	}
	if len(out) == 0 {
		return nil, dataplane.Refuse(dataplane.RefusedUnknownProgram, fixProgram(titles(c.engines)), "there is no program %q on %s", name, c.cfg.Switch.Name)
	}
	return out, nil
}

func (c *Chassis) reload(e *engine, file, text string) (inFlight int, err error) {
	r, ok := e.Engine.(dataplane.Reloadable)
	if !ok {
		return 0, dataplane.Refuse(dataplane.RefusedProgram, "replace a program that is loaded from a source", "program %q of %s has none", e.title, c.engineName(e.pfe))
	}
	config, err := r.WithSource(file, text)
	if err != nil {
		return 0, err
	}
	return c.Replace(Program{PFE: e.pfe, System: e.system, Name: e.title, Config: config})
}

// successor makes the engine that is to replace another, and checks it in its place.
func (c *Chassis) successor(e *engine, p Program) (*engine, error) {
	made, err := c.newEngine(p.System, p.Config, c.sink)
	if err != nil {
		return nil, err
	}
	next := *e
	next.Engine, next.wants = made, made.Wants()
	next.front, next.fabric = slices.Clone(e.front), slices.Clone(e.fabric)
	if next.wants.Transit != e.wants.Transit || next.wants.Leaving != e.wants.Leaving {
		return nil, fmt.Errorf("program %q of %s would see frames elsewhere, on arrival or on leaving: its place is fixed", e.title, c.cfg.pfeName(e.pfe))
	}
	if err := dataplane.MatchOf(made).Validate(); err != nil {
		return nil, err
	}
	if err := errors.Join(c.checkPlace(e, &next), c.checkOwnPorts(&next)); err != nil {
		return nil, err
	}
	if err := c.learnPorts(&next); err != nil {
		return nil, fmt.Errorf("program of %s: %w: %s", e.name, err, fixPorts)
	}
	return &next, c.share(e, made) // last: what shares a machine takes part in it
}

// checkPlace reports which program would have no frame with another in the place of e.
func (c *Chassis) checkPlace(e, next *engine) error {
	p := &c.pfes[e.pfe]
	return errors.Join(c.checkInPlace(e, next, p.inbound, "arrive"), c.checkInPlace(e, next, p.outbound, "leave"))
}

func (c *Chassis) checkInPlace(e, next *engine, list []*engine, when string) (err error) {
	at := slices.Index(list, e)
	if at < 0 {
		return nil
	}
	tried := slices.Clone(list)
	tried[at] = next
	for i := at; i < len(tried); i++ {
		err = errors.Join(err, c.checkReached(tried[i], tried[:i], when))
	}
	return err
}
