package atp

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/harness/job"
	program "github.com/inalab/inalab/switchd/program/atp"
)

// setUps are those of a job in a run: the first, and one for each start of a worker that ended (A.3). Each has
// an id of its own, so a packet, an aggregator and a sum of one never meet those of another.
type setUps []setUp

// setUp is one of them.
type setUp struct {
	*placement
	worker int // whose start it follows; of the first: none
}

// setUps places the job once for each. Packets of all have headers of as many levels, and so one port and one
// length: those of the set-up that has most. A server may then answer in one what it stored in another.
func (s System) setUps(j *job.Job) (setUps, error) {
	var next []job.Setup
	if !s.Colocated { // who ends may take a server along
		var err error
		if next, err = j.Setups(); err != nil {
			return nil, err
		}
	}
	out, err := s.placeAll(j, next)
	if err != nil {
		return nil, err
	}
	if s.deep = out.levels(); slices.ContainsFunc(out, func(u setUp) bool { return u.levels != s.deep }) {
		return s.placeAll(j, next)
	}
	return out, nil
}

// placeAll places the job, and as it is set up again.
func (s System) placeAll(j *job.Job, again []job.Setup) (setUps, error) {
	p, err := s.place(j)
	if err != nil {
		return nil, err
	}
	out := setUps{{placement: p}}
	for _, n := range again {
		p, err := s.place(n.Job)
		if err != nil {
			return nil, fmt.Errorf("after the start of worker %d on %s: %w", n.Worker, n.Hosts()[n.Worker].Name, err)
		}
		out = append(out, setUp{p, n.Worker})
	}
	return out, nil
}

// levels returns the most that a set-up has, of more than two; else 0.
func (u setUps) levels() (most int) {
	for _, p := range u {
		most = max(most, p.levels)
	}
	return most
}

// programs returns those of all switches that aggregate in some set-up.
func (u setUps) programs(cfg program.Config) ([][]any, error) {
	var out [][]any
	for k, p := range u {
		next, err := p.programs(cfg)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			out = next
			continue
		}
		for i, of := range next {
			switch {
			case of == nil:
			case out[i] == nil:
				out[i] = of
			default:
				c := out[i][0].(engineConfig)
				c.Program.Jobs = append(c.Program.Jobs, of[0].(engineConfig).Program.Jobs...)
				out[i] = []any{c}
			}
		}
	}
	return out, nil
}

// engines returns those of all set-ups, each once: a switch with all of its sources.
func (u setUps) engines() (out []job.Engine) {
	for _, p := range u {
		for _, e := range p.engines() {
			k := slices.IndexFunc(out, func(o job.Engine) bool { return o.Node == e.Node })
			if k < 0 {
				out = append(out, e)
				continue
			}
			out[k].Top = out[k].Top || e.Top
			for w, name := range e.Sources {
				if _, known := out[k].Sources[w]; !known {
					out[k].Sources[w] = name
				}
			}
			for w, name := range e.Below {
				out[k].Below[w] = either(out[k].Below[w], name)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b job.Engine) int {
		switch {
		case a.Server == b.Server:
			return 0
		case b.Server:
			return -1
		}
		return 1
	})
	return out
}

// addresses returns those that gradient packets come from, of workers in any set-up.
func (u setUps) addresses() (out []netip.Addr) {
	for _, p := range u {
		for _, w := range p.j.Hosts() {
			if a := w.Addr.Addr(); !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// trees returns those of parameter packets.
func (u setUps) trees() (out []job.Tree) {
	for _, p := range u {
		out = append(out, p.groups()...)
	}
	return out
}

// again describes the worker that each start makes.
func (s System) again(j *job.Job, up setUps) (out []any) {
	for k, next := range up[1:] {
		c := s.core(j, up, next.worker)
		c.Node, c.Setup = next.j.Hosts()[next.worker].Name, k+1
		out = append(out, c)
	}
	return out
}
