package trioml

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// placement lays a job over the PFEs of a switch (Trio §4): in one level where all
// sources are on one PFE, else the chassis' top PFE stands above those that have
// sources.
//
//	sources 0 1 2 --> pfe1 --+
//	                         +--> pfe4 --> ports of all sources
//	sources 3 4 5 --> pfe2 --+
type placement struct {
	record  program.Job   // what all PFEs have of the job: id, caps, addressing of results
	sources [][]uint8     // by PFE
	to      []sansio.Port // that results leave by
	top     int           // PFE of the upper level, if there are two
}

// placed is the job record of one PFE.
type placed struct {
	pfe int
	program.Job
}

// pfeSource is the src_id of PFE 0 where it is a source of the level above; workers
// have lower numbers, unless a control plane says otherwise.
const pfeSource = 200

// records returns the job record of each PFE that has one, the top level first.
func (p *placement) records() []placed {
	leaves := p.leaves()
	if len(leaves) == 1 {
		at := leaves[0]
		return []placed{p.at(at, p.sources[at], p.to, uint8(pfeSource+at))}
	}
	out := []placed{p.at(p.top, slices.Clone(p.sources[p.top]), p.to, uint8(pfeSource+p.top))}
	for _, pfe := range leaves {
		if pfe == p.top {
			continue
		}
		id := unused(uint8(pfeSource+pfe), out[0].Sources)
		out[0].Sources = append(out[0].Sources, id)
		out = append(out, p.at(pfe, p.sources[pfe], []sansio.Port{dataplane.Fabric(p.top)}, id))
	}
	return out
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

// at is the record of one PFE.
func (p *placement) at(pfe int, sources []uint8, to []sansio.Port, out uint8) placed {
	r := placed{pfe, p.record}
	r.Sources, r.To, r.OutSource = sources, to, out
	return r
}

// unused returns a src_id that is not taken: the wanted one, or the next.
func unused(wanted uint8, taken []uint8) uint8 {
	for slices.Contains(taken, wanted) {
		wanted++
	}
	return wanted
}
