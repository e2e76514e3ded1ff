package trio

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
)

// maxFaultPlaces bounds the places that are told apart (assumed): a program that does wrong
// does so in a few.
const maxFaultPlaces = 16

// faultPlace is an instruction at which threads did wrong.
type faultPlace struct {
	reason      string
	instruction int
	n           uint64
}

// noteFault counts a thread that did wrong, by where it did. Beyond maxFaultPlaces places only
// the reason counts.
func (p *PFE) noteFault(reason string, instruction int) {
	for i := range p.faults {
		if f := &p.faults[i]; f.instruction == instruction && f.reason == reason {
			f.n++
			return
		}
	}
	if len(p.faults) < maxFaultPlaces {
		p.faults = append(p.faults, faultPlace{reason, instruction, 1})
	}
}

// Faults returns how many threads did wrong at which places of the source, the first 16 places,
// as "pfe-instruction-limit at loop.mc:2:8". All of them are in Counters, by the reason alone.
func (p *PFE) Faults() (out []sansio.Count) {
	for _, f := range p.faults {
		name := f.reason
		if list := p.cfg.Program.Instructions; f.instruction >= 0 && f.instruction < len(list) {
			name = dataplane.FaultAt(f.reason, list[f.instruction].Pos.String())
		}
		out = append(out, sansio.Count{Name: name, N: f.n})
	}
	return out
}
