package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// AutoScale is how a file leaves its scale to the program.
const AutoScale = "auto"

const (
	// ruleRate is the rate that the fastest line of a host has at the scale of the rule.
	// Assumed: a frame of 1 KB then takes 18 us, and a second of six workers 0.3 million frames,
	// which a laptop simulates in seconds.
	ruleRate = 500 * units.MbitPerSecond

	// ruleSize is the size that the largest gradient has at most. Assumed: it takes 67 ms on that
	// line, and a worker computes it in some 10 ms.
	ruleSize = 4 * units.MiB
)

// rawScale is a number, or a word.
type rawScale struct {
	n    int
	word string
}

// UnmarshalYAML reads a number, or a word.
func (s *rawScale) UnmarshalYAML(unmarshal func(any) error) error {
	var n int
	if unmarshal(&n) == nil {
		*s = rawScale{n: n}
		return nil
	}
	*s = rawScale{}
	return unmarshal(&s.word)
}

// value is what was written.
func (s rawScale) value() any {
	if s.word != "" {
		return s.word
	}
	return s.n
}

// MarshalYAML writes what was read.
func (s rawScale) MarshalYAML() (any, error) { return s.value(), nil }

// MarshalJSON writes what was read.
func (s rawScale) MarshalJSON() ([]byte, error) { return json.Marshal(s.value()) }

// scale reads the scale, and whether it is left to the program. Then it is 1 until all points
// of a sweep are known.
func (r *resolver) scale(f rawScale) (n int, auto bool) {
	switch f.word {
	case AutoScale:
		return 1, true
	case "":
		return r.between("scale", f.n, 1, MaxScale), false
	}
	r.refuse("scale", strconv.Quote(f.word), fmt.Sprintf("write %s, or a whole number from 1 to %d", AutoScale, MaxScale))
	return 1, false
}

// withScale loads a scenario again with the scale of the rule, where its file leaves it open.
func (s *Scenario) withScale(src Source, systems []job.System) (*Scenario, error) {
	if err := s.oneScale(); err != nil || !s.Auto {
		return s, err
	}
	src.Set = append(slices.Clone(src.Set), fmt.Sprintf("scale=%d", s.ruleScale()))
	out, err := read(src, systems)
	if err != nil {
		return nil, err
	}
	out.Auto = true
	return out, nil
}

// oneScale refuses points of different scales: what a table compares has one. A sweep of the
// scale itself shows it in each row.
func (s *Scenario) oneScale() error {
	for _, a := range s.axes {
		if !slices.Contains(a.keys, "scale") {
			continue
		}
		if slices.ContainsFunc(s.points, func(p *Scenario) bool { return p.Auto }) {
			return s.doc.Wrong(a.at, errors.New("scale: auto is one number for all points: write numbers, as in scale: [100, 200]"))
		}
		return nil
	}
	first := s.Points()[0]
	for _, p := range s.Points() {
		if p.Scale != first.Scale || p.Auto != first.Auto {
			return fmt.Errorf("%s: scale %s at %v and %s at %v: one table has one scale: set it once for all, as in --set scale=%s",
				s.doc.name, first.scaleWord(), first.Point, p.scaleWord(), p.Point, AutoScale)
		}
	}
	return nil
}

// scaleWord is the scale as a file has it.
func (s *Scenario) scaleWord() string {
	if s.Auto {
		return AutoScale
	}
	return strconv.Itoa(s.Scale)
}

// ruleScale returns the least scale at which no line of a host is faster than ruleRate, and no gradient
// larger than ruleSize, at any point of the sweep. It depends on nothing but the scenario.
func (s *Scenario) ruleScale() int {
	var fastest units.Rate
	var largest units.Bytes
	for _, p := range s.Points() {
		for _, sys := range p.Systems {
			fastest = max(fastest, p.fastestLine(sys))
		}
		largest = max(largest, p.Model.Size())
		for _, t := range p.Tenants {
			largest = max(largest, t.Model.Size())
		}
	}
	return min(max(1, int((fastest+ruleRate-1)/ruleRate), int((largest+ruleSize-1)/ruleSize)), MaxScale)
}

// fastestLine returns the highest rate of a line of a host at the start of a run, before
// scaling. Of a topology that cannot be it is that of the file.
func (s *Scenario) fastestLine(sys System) units.Rate {
	full := *s
	full.Scale = 1
	g, _, err := full.graph(sys.Topology, full.workers(sys)+full.servers(sys))
	if err != nil {
		return s.Link.Rate
	}
	hosts := map[string]bool{} // looked up
	for _, n := range g.Nodes {
		hosts[n.Name] = n.Kind == topo.Host
	}
	var fastest units.Rate
	for _, l := range g.Links {
		if hosts[l.A.Node] || hosts[l.B.Node] {
			fastest = max(fastest, l.AtoB.Rate, l.BtoA.Rate)
		}
	}
	return fastest
}
