package scenarios

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/topo/plan"
)

// collects checks the configuration of a program. The addresses of a collector follow from
// a topology, so others stand in for them here.
func (r *resolver) collects(t *Transit, p transit.Program) {
	config := t.Config
	switch {
	case t.Collector != "" && p.Reports == nil:
		sends := transit.Names(func(p transit.Program) bool { return p.Reports != nil })
		r.wrong(t.at+".collector", fmt.Errorf("%s sends no reports: leave the collector out, or take %s", t.Program, strings.Join(sends, ", ")))
	case t.Collector != "":
		var err error
		if config, err = p.Reports.Address(config, inet.Flow{Src: netip.IPv4Unspecified(), Dst: netip.IPv4Unspecified()}, []sansio.Port{0}); err != nil {
			r.wrong(t.at+".config", err)
			return
		}
	}
	_, err := p.NewEngine(config)
	if err != nil && t.Collector == "" && p.Reports != nil {
		err = fmt.Errorf("%w; a host that takes its reports is named by collector, as in collector: h5", err)
	}
	r.wrong(t.at+".config", err)
}

// configOn returns the configuration of the program on a switch: its reports leave by the
// port that leads to the collector.
func (t *Transit) configOn(p *plan.Plan, sw *plan.Switch) (json.RawMessage, error) {
	if t.Collector == "" {
		return t.Config, nil
	}
	c := t.collector()
	if err := c.ValidateOn(p); err != nil {
		return nil, err
	}
	program, _ := transit.Find(t.Program)
	h, _ := p.Host(t.Collector)
	hop := sw.Towards(h)
	to := inet.Flow{
		SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MAC(hop.MAC), Src: sw.Router, Dst: h.Addr.Addr(), SrcPort: c.Port, DstPort: c.Port,
	}
	return program.Reports.Address(t.Config, to, []sansio.Port{sansio.Port(hop.Port)})
}

// collector is the same for all entries of a program and a host.
func (t *Transit) collector() job.Collector {
	number := slices.Index(transit.Names(func(transit.Program) bool { return true }), t.Program)
	return job.Collector{Program: t.Program, Host: t.Collector, Port: job.CollectorPort + uint16(number)}
}

// collectors returns the collectors of the programs, each once.
func (s *Scenario) collectors() (out []job.Collector) {
	for i := range s.Transit {
		t := &s.Transit[i]
		if c := t.collector(); c.Host != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}
