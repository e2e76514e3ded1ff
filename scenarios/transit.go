package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/topo/linktext"
	"github.com/inalab/inalab/topo/plan"
)

// Transit is a program that frames pass on their way through switches.
type Transit struct {
	Program string
	Switch  string // pattern of switches; empty: all
	PFE     string // of a chassis; empty: all
	Config  json.RawMessage

	Microcode *Microcode // a program of one's own, which Program names; nil: it is one of the list

	Collector string // host that takes its reports; empty: none
	at        string // where it stands

	of *TopologyFile // whose switch names it; nil: the scenario has it on every topology
}

// transitOfFiles returns the programs that switches of topology files name.
func transitOfFiles(systems []System) (out []Transit) {
	var done []*TopologyFile
	for _, sys := range systems {
		if f := sys.Topology.File; f != nil && !slices.Contains(done, f) {
			out, done = append(out, f.transit...), append(done, f)
		}
	}
	return out
}

// transit reads the programs in transit. Each makes an engine once, so that what is wrong
// with its configuration is said before the run.
func (r *resolver) transit(list []rawTransit) (out []Transit) {
	for i, f := range list {
		at := "transit[" + strconv.Itoa(i) + "]"
		config, err := toJSON(f.Config)
		r.wrong(at+".config", err)
		t := Transit{Program: f.Program, Switch: f.Switch, PFE: f.PFE, Config: config, Collector: f.Collector, at: at}
		if f.isMicrocode() {
			t.Microcode = r.microcode(at, &list[i])
			t.Program = t.Microcode.Config.Name
			out = append(out, t)
			continue
		}
		if key := f.hasMicrocode(); key != "" {
			r.wrong(at+"."+key, fmt.Errorf("%s is no program of one's own: those stand in files that end in %s", f.Program, sourceSuffix))
		}
		r.oneOf(at+".program", f.Program, transit.Names(func(transit.Program) bool { return true })...)
		if p, ok := transit.Find(f.Program); ok {
			r.collects(&t, p)
		}
		out = append(out, t)
	}
	return out
}

// toJSON writes a value of a file as JSON. Keys keep their order.
func toJSON(v yaml.MapSlice) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	text, err := yaml.MarshalWithOptions(v, yaml.JSON())
	return json.RawMessage(strings.TrimSpace(string(text))), err
}

// transitOf places the programs on the PFEs of a plan, by switch.
func (s *Scenario) transitOf(p *plan.Plan, file *TopologyFile) ([][]chassis.Program, error) {
	if len(s.Transit) == 0 {
		return nil, nil
	}
	out := make([][]chassis.Program, len(p.Switches))
	from := make([][]*Transit, len(p.Switches)) // of each program
	for k := range s.Transit {
		t := &s.Transit[k]
		if t.of != nil && t.of != file {
			continue
		}
		found := false
		for i := range p.Switches {
			sw := &p.Switches[i]
			if !linktext.Matches(t.Switch, sw.Name) {
				continue
			}
			pfes, err := pfesOf(sw, t.PFE)
			if err != nil {
				return nil, s.doc.Wrong(t.at+".pfe", err)
			}
			for _, pfe := range pfes {
				program, err := s.programOn(t, p, sw, pfe)
				if err != nil {
					return nil, err
				}
				out[i], from[i] = append(out[i], program), append(from[i], t)
			}
			found = true
		}
		if !found {
			return nil, s.doc.Wrong(t.at+".switch", fmt.Errorf("no switch of topology %s is %q: there are %s%s", p.Name, t.Switch, strings.Join(switchNames(p), ", "), suggest.DidYouMean(t.Switch, switchNames(p))))
		}
	}
	return out, s.checkTogether(p, out, from)
}

// checkTogether loads the programs of each switch that has several, and says where that stands
// which cannot be beside those before it: it claims what they claim, has the name of one, or
// finds no memory left.
func (s *Scenario) checkTogether(p *plan.Plan, programs [][]chassis.Program, from [][]*Transit) error {
	for i, list := range programs {
		if len(list) < 2 {
			continue
		}
		load := func(n int) error {
			_, err := chassis.New(chassis.Config{Switch: p.Switches[i], NoLinks: true, Transit: list[:n]}, transit.Maker("", nil), nil)
			return err
		}
		if load(len(list)) == nil {
			continue
		}
		for n := range list {
			if err := load(n + 1); err != nil {
				return s.doc.Wrong(from[i][n].at, err)
			}
		}
	}
	return nil
}

// programOn returns a program on a PFE of a switch.
func (s *Scenario) programOn(t *Transit, p *plan.Plan, sw *plan.Switch, pfe int) (chassis.Program, error) {
	if t.Microcode == nil {
		config, err := t.configOn(p, sw)
		if err != nil {
			return chassis.Program{}, s.doc.Wrong(t.at+".collector", err)
		}
		return chassis.Program{PFE: pfe, System: t.Program, Config: config}, nil
	}
	node := sw.Name
	if sw.Chassis != nil {
		node += "/" + sw.Chassis.PFEs[pfe].Name
	}
	config, at, err := t.Microcode.configOn(p, sw, node)
	if err != nil {
		return chassis.Program{}, s.doc.Wrong(at, err)
	}
	return chassis.Program{PFE: pfe, System: user.System, Name: t.Program, Config: config}, nil
}

// pfesOf returns the numbers of the PFEs of a switch that a name means.
func pfesOf(sw *plan.Switch, name string) (out []int, err error) {
	if sw.Chassis == nil {
		if name != "" {
			return nil, errors.New("switch " + sw.Name + " is no chassis: leave the PFE out")
		}
		return []int{0}, nil
	}
	var names []string
	for i, pfe := range sw.Chassis.PFEs {
		names = append(names, pfe.Name)
		if name == "" || name == pfe.Name {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%q: switch %s has %s%s", name, sw.Name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
	}
	return out, nil
}

func switchNames(p *plan.Plan) (out []string) {
	for i := range p.Switches {
		out = append(out, p.Switches[i].Name)
	}
	return out
}
