package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
)

// rawAt is what happens at a time: one of the things below it.
type rawAt struct {
	Time  string       `yaml:"time"`
	Link  *linktext.At `yaml:"link,omitempty" json:",omitempty"`
	Kill  string       `yaml:"kill,omitempty" json:",omitempty"`
	Stop  string       `yaml:"stop,omitempty" json:",omitempty"`
	Start string       `yaml:"start,omitempty" json:",omitempty"`
	On    string       `yaml:"on,omitempty" json:",omitempty"`

	Forget string `yaml:"forget,omitempty" json:",omitempty"`

	Raise   string `yaml:"raise,omitempty" json:",omitempty"`
	Value   int    `yaml:"value,omitempty" json:",omitempty"`
	Program string `yaml:"program,omitempty" json:",omitempty"`
}

// Event is something that happens during a run.
type Event struct {
	Time   units.Time       // from the start of the run
	Link   *linktext.Change // links that change; nil: it is something else
	Action *job.Action      // on a process; nil: it is something else
	at     string           // where it stands
	text   string           // what happens
}

// String says what happens, and when.
func (e Event) String() string { return fmt.Sprintf("at %v: %s", units.Duration(e.Time), e.text) }

// events reads what happens, and puts it into the order of time. What happens at one time stays
// in that of the file.
func (r *resolver) events(s *Scenario, list []rawAt) (out []Event) {
	for i, f := range list {
		e := Event{at: fmt.Sprintf("at[%d]", i)}
		t, err := linktext.Time(e.at, f.Time, r.doc)
		if err != nil {
			r.report(err)
		}
		e.Time = t
		r.happening(s, &e, f)
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
	return out
}

// happening reads what happens in an entry: one thing.
func (r *resolver) happening(s *Scenario, e *Event, f rawAt) {
	things := []struct {
		key   string
		given bool
		read  func()
	}{
		{"link", f.Link != nil, func() { r.linkEvent(e, *f.Link) }},
		{"kill", f.Kill != "", func() { r.action(s, e, job.Action{Verb: job.Kill, Node: f.Kill, On: f.On}) }},
		{"stop", f.Stop != "", func() { r.action(s, e, job.Action{Verb: job.Stop, Node: f.Stop, On: f.On}) }},
		{"start", f.Start != "", func() { r.action(s, e, job.Action{Verb: job.Start, Node: f.Start, On: f.On}) }},
		{"forget", f.Forget != "", func() { r.action(s, e, job.Action{Verb: job.Forget, Node: f.Forget, On: f.On}) }},
		{"raise", f.Raise != "", func() { r.raise(s, e, f) }},
	}
	var keys, given []string
	for _, t := range things {
		if keys = append(keys, t.key); t.given {
			given = append(given, t.key)
			t.read()
		}
	}
	switch {
	case len(given) == 0:
		r.wrong(e.at, fmt.Errorf("nothing happens then: write what, one of %s", strings.Join(keys, ", ")))
	case f.Raise == "" && (f.Value != 0 || f.Program != ""):
		r.wrong(e.at, fmt.Errorf("%s takes neither value nor program: those are for raise", given[0]))
	case len(given) > 1:
		r.wrong(e.at, fmt.Errorf("%s in one entry: give each an entry of its own", strings.Join(given, " and ")))
	}
}

// linkEvent reads a change of links.
func (r *resolver) linkEvent(e *Event, f linktext.At) {
	c, errs := f.Read(e.at+".link", r.doc)
	text, err := c.Becomes()
	if err != nil {
		errs = append(errs, err)
	}
	r.reports(errs)
	e.Link, e.text = &c, text
}

// linkEvents returns the changes of links.
func (s *Scenario) linkEvents() (out []linktext.Event) {
	for _, e := range s.At {
		if e.Link != nil {
			out = append(out, linktext.Event{Time: e.Time, Change: *e.Link, Path: e.at})
		}
	}
	return out
}

// linkChanges returns the changes of a topology's links, whose rates are not scaled yet: those of its file, and
// those of the scenario, which come later where they are at one time.
func (s *Scenario) linkChanges(g *topo.Graph, ofFile []linktext.Event) (out []job.LinkChange, err error) {
	events := slices.Concat(ofFile, s.linkEvents())
	slices.SortStableFunc(events, func(a, b linktext.Event) int { return cmp.Compare(a.Time, b.Time) })
	course, err := linktext.Course(g, events)
	for _, c := range course {
		c.Spec = s.scaled(c.Spec)
		out = append(out, job.LinkChange(c))
	}
	return out, err
}
