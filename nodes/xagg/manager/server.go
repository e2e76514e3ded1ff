package manager

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// What a server must have to spare (XAgg §V).
const (
	memoryPercent = 80                       // of its memory may be used, with the model
	corePerRate   = 10 * units.GbitPerSecond // a core aggregates about this much
)

// Server is what a server reports of itself, without what XAgg uses.
type Server struct {
	Name      string
	Bandwidth units.Rate // idle
	Cores     int        // idle
	Memory    units.Bytes
	Used      units.Bytes // of the memory
}

// Fits says why a server cannot aggregate a model; nil if it can.
func (s *Server) Fits(model units.Bytes) error {
	switch {
	case s.Bandwidth <= 0:
		return fmt.Errorf("server %q has no idle bandwidth", s.Name)
	case s.Used < 0 || model > s.limit()-s.Used:
		return fmt.Errorf("server %q uses %v of %v: with a model of %v that is more than %d%%", s.Name, s.Used, s.Memory, model, memoryPercent)
	case (s.Bandwidth-1)/corePerRate >= units.Rate(s.Cores):
		return fmt.Errorf("server %q has %v idle and %d idle cores, which aggregate %v each", s.Name, s.Bandwidth, s.Cores, corePerRate)
	}
	return nil
}

// limit returns how much memory may be used.
func (s *Server) limit() units.Bytes {
	return s.Memory/100*memoryPercent + s.Memory%100*memoryPercent/100
}

// spare returns the idle memory.
func (s *Server) spare() units.Bytes { return s.Memory - s.Used }

// Candidates returns the servers that fit, best first: by bandwidth, cores and memory (XAgg §V), and
// by name where all are equal. The errors say why the others do not fit.
func Candidates(servers []Server, model units.Bytes) (fit []Server, why []error) {
	for i := range servers {
		if err := servers[i].Fits(model); err != nil {
			why = append(why, err)
			continue
		}
		fit = append(fit, servers[i])
	}
	slices.SortFunc(fit, func(a, b Server) int {
		return cmp.Or(cmp.Compare(b.Bandwidth, a.Bandwidth), cmp.Compare(b.Cores, a.Cores),
			cmp.Compare(b.spare(), a.spare()), inOrder(a.Name, b.Name))
	})
	return fit, why
}

// inOrder is the order of equal ones: of names that end in numbers, h7 comes before h10.
func inOrder(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
