package scenarios

import (
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/topo/plan"
)

// rawFlow is traffic from a host to another.
type rawFlow struct {
	Name    string `yaml:"name"`
	Kind    string `yaml:"kind"`
	From    string `yaml:"from"`
	To      string `yaml:"to"`
	Rate    string `yaml:"rate,omitempty" json:",omitempty"`
	Packet  int    `yaml:"packet,omitempty" json:",omitempty"`
	On      string `yaml:"on,omitempty" json:",omitempty"`
	Off     string `yaml:"off,omitempty" json:",omitempty"`
	Start   string `yaml:"start,omitempty" json:",omitempty"`
	Stop    string `yaml:"stop,omitempty" json:",omitempty"`
	ECN     bool   `yaml:"ecn,omitempty" json:",omitempty"`
	Options bool   `yaml:"options,omitempty" json:",omitempty"`
}

func flowAt(i int) string { return fmt.Sprintf("flows[%d]", i) }

// flows reads the flows beside the job. Whether a topology has their hosts is for the
// layout to say.
func (r *resolver) flows(list []rawFlow, scale, mtu int) (out []job.Flow) {
	seen := map[string]bool{}
	for i, f := range list {
		at, before := flowAt(i), len(r.errs)
		flow := job.Flow{Name: f.Name, Kind: f.Kind, From: f.From, To: f.To, ECN: f.ECN, Options: f.Options, Pattern: r.pattern(at, f, scale)}.WithDefaults(mtu)
		if len(r.errs) == before {
			r.wrong(at, flow.Validate())
		}
		if seen[f.Name] {
			r.wrong(at, fmt.Errorf("two flows are called %s: give each a name of its own", f.Name))
		}
		seen[f.Name] = true
		out = append(out, flow)
	}
	if len(list) > job.MaxFlows {
		r.wrong("flows", fmt.Errorf("%d flows: a lab takes %d", len(list), job.MaxFlows))
	}
	return out
}

// pattern reads when a flow sends. Its rate is scaled as that of links is; packets and times
// are not.
func (r *resolver) pattern(at string, f rawFlow, scale int) (p traffic.Pattern) {
	var err error
	if f.Rate != "" {
		p.Rate, err = units.ParseRate(f.Rate)
		r.wrong(at+".rate", err)
	}
	if p.Rate > 0 {
		p.Rate = max(1, p.Rate/units.Rate(max(1, scale)))
	}
	p.Packet = units.Bytes(r.between(at+".packet", f.Packet, 0, int(traffic.MaxWrite)))
	for _, d := range []struct {
		key, text string
		to        *units.Duration
	}{{"on", f.On, &p.On}, {"off", f.Off, &p.Off}, {"start", f.Start, &p.Start}, {"stop", f.Stop, &p.Stop}} {
		if d.text != "" {
			*d.to = r.duration(at+"."+d.key, d.text)
		}
	}
	return p
}

// flowsOn checks the flows against a topology.
func (s *Scenario) flowsOn(p *plan.Plan) error {
	for i := range s.Flows {
		if err := s.Flows[i].ValidateOn(p); err != nil {
			return s.doc.Wrong(flowAt(i), err)
		}
	}
	return nil
}
