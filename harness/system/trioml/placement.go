package trioml

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// placement lays a job over the PFEs of one switch (Trio §4): in one level where all
// sources are on one PFE, else the chassis' top PFE stands above those that have
// sources.
//
//	sources 0 1 2 --> pfe1 --+
//	                         +--> pfe4 --> ports of all sources, or the next switch
//	sources 3 4 5 --> pfe2 --+
type placement struct {
	sw      *plan.Switch
	record  program.Job // what all PFEs have of the job, and ports and addressing of the results of the highest one
	sources [][]source  // by PFE
}

// source is what a PFE has a src_id for.
type source struct {
	id   uint8
	name string // of a worker's host, or of a PFE as in trace events; of a job that comes at run time it is empty
}

// placed is the job record of one PFE.
type placed struct {
	pfe   int
	names []string // who is behind each of its sources
	program.Job
}

// pfeSource is the src_id of PFE 0 where it is a source of the level above; workers
// have lower numbers, unless a control plane says otherwise.
const pfeSource = 200

// newSource returns a src_id for a PFE, the wanted one if it can, where some are taken.
type newSource func(wanted uint8, taken []source) (uint8, error)

// records returns the job record of each PFE that has one, the highest level first.
func (p *placement) records(node func(pfe int) string, next newSource) ([]placed, error) {
	top := topOf(p.sw, p.leaves())
	above := slices.Clone(p.sources[top])
	var out []placed
	for _, pfe := range p.leaves() {
		if pfe == top {
			continue
		}
		id, err := next(uint8(pfeSource+pfe), above)
		if err != nil {
			return nil, err
		}
		above = append(above, source{id, node(pfe)})
		out = append(out, p.at(pfe, p.sources[pfe], []sansio.Port{dataplane.Fabric(top)}, id))
	}
	return slices.Insert(out, 0, p.at(top, above, p.record.To, p.record.OutSource)), nil
}

// leaves returns the PFEs that have sources.
func (p *placement) leaves() (out []int) {
	for pfe, s := range p.sources {
		if len(s) > 0 {
			out = append(out, pfe)
		}
	}
	return out
}

// topOf returns the PFE of the highest level of a switch, where some have sources.
func topOf(sw *plan.Switch, leaves []int) int {
	if len(leaves) == 1 {
		return leaves[0]
	}
	return sw.Chassis.Top
}

// at is the record of one PFE.
func (p *placement) at(pfe int, sources []source, to []sansio.Port, out uint8) placed {
	r := placed{pfe: pfe, Job: p.record}
	r.Sources, r.To, r.OutSource = nil, to, out
	for _, s := range sources {
		r.Sources, r.names = append(r.Sources, s.id), append(r.names, s.name)
	}
	return r
}

// unused returns a src_id that is not taken: the wanted one, or the next. There must be one.
func unused(wanted uint8, taken []source) uint8 {
	for slices.ContainsFunc(taken, func(s source) bool { return s.id == wanted }) {
		wanted++
	}
	return wanted
}
