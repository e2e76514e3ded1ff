package scenarios

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// rawAt is what happens at a time: one of the things below it.
type rawAt struct {
	Time  string     `yaml:"time"`
	Link  *rawLinkAt `yaml:"link,omitempty" json:",omitempty"`
	Kill  string     `yaml:"kill,omitempty" json:",omitempty"`
	Stop  string     `yaml:"stop,omitempty" json:",omitempty"`
	Start string     `yaml:"start,omitempty" json:",omitempty"`
	On    string     `yaml:"on,omitempty" json:",omitempty"`

	Forget string `yaml:"forget,omitempty" json:",omitempty"`

	Raise   string `yaml:"raise,omitempty" json:",omitempty"`
	Value   int    `yaml:"value,omitempty" json:",omitempty"`
	Program string `yaml:"program,omitempty" json:",omitempty"`
}

// Event is something that happens during a run.
type Event struct {
	Time   units.Time  // from the start of the run
	Link   *LinkAt     // links that change; nil: it is something else
	Action *job.Action // on a process; nil: it is something else
	at     string      // where it stands
	text   string      // what happens
}

// String says what happens, and when.
func (e Event) String() string { return fmt.Sprintf("at %v: %s", units.Duration(e.Time), e.text) }

// MaxTime is the latest that something may happen (assumed: a day is longer than any run).
const MaxTime = 24 * 3600 * units.Second

// events reads what happens, and puts it into the order of time. What happens at one time stays
// in that of the file.
func (r *resolver) events(s *Scenario, list []rawAt) (out []Event) {
	for i, f := range list {
		e := Event{at: fmt.Sprintf("at[%d]", i)}
		e.Time = r.timeOf(e.at, f.Time)
		r.happening(s, &e, f)
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
	return out
}

// timeOf reads the time of an entry.
func (r *resolver) timeOf(at, text string) units.Time {
	if text == "" {
		r.wrong(at, errors.New("it has no time: write one, from the start of the run, as in time: 2s"))
		return 0
	}
	d := r.duration(at+".time", text)
	if d > MaxTime {
		r.wrong(at+".time", fmt.Errorf("%v after the start of the run: allowed are 0s to %v", d, MaxTime))
	}
	return units.Time(d)
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
func (r *resolver) linkEvent(e *Event, f rawLinkAt) {
	at := e.at + ".link"
	l := r.linkAt(at, f)
	text, err := yaml.MarshalWithOptions(f.Link, yaml.Flow(true))
	if f.Link == (rawLink{}) {
		err = errors.New("nothing of the links changes: write what they become, as in rate: 10Gbit/s")
	}
	r.wrong(at, err)
	e.Link, e.text = &l, fmt.Sprintf("links %v become %s", l, bytes.TrimSpace(text))
}

// linkChanges returns the changes of a topology's links, whose rates are not scaled yet: each
// from what earlier changes left.
func (s *Scenario) linkChanges(g *topo.Graph) (out []job.LinkChange, err error) {
	if len(s.At) == 0 {
		return nil, nil
	}
	if err := g.Validate(); err != nil {
		return nil, err // it is wrong from the beginning
	}
	now := *g
	now.Links = slices.Clone(g.Links)
	for _, e := range s.At {
		if e.Link == nil {
			continue
		}
		note := func(from, to topo.End, spec topo.LinkSpec) {
			out = append(out, job.LinkChange{At: e.Time, From: from, To: to, Spec: s.scaled(spec)})
		}
		if err := s.changeLinks(&now, *e.Link, note); err != nil {
			return nil, err
		}
		if err := now.Validate(); err != nil {
			return nil, s.doc.wrong(e.at, err)
		}
	}
	return out, nil
}
