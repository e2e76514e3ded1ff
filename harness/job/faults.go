package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/switchd/dataplane"
)

// maxFaults is how many places of sources an error names (assumed): a program that does wrong does so in a few.
const maxFaults = 3

// WithFaults returns the error of a run with what programs in transit did wrong: the places of their sources at which most
// threads ended. It is err where none did.
func WithFaults(err error, counts []result.TransitCount) error {
	faults := slices.DeleteFunc(slices.Clone(counts), func(c result.TransitCount) bool { return !dataplane.IsFault(c.Counter) || c.N == 0 })
	if err == nil || len(faults) == 0 {
		return err
	}
	slices.SortStableFunc(faults, func(a, b result.TransitCount) int { return cmp.Compare(b.N, a.N) })
	var list []string
	for _, f := range faults[:min(len(faults), maxFaults)] {
		list = append(list, fmt.Sprintf("program %s on %s: %d of its threads ended by %s", f.Program, f.Switch, f.N, f.Counter))
	}
	if n := len(faults) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("%d more in transit.csv", n))
	}
	return fmt.Errorf("%w; %s", err, strings.Join(list, "; "))
}
