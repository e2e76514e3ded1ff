package job

import (
	"errors"
	"testing"

	"github.com/inalab/inalab/internal/result"
)

// The error of a run names what programs did wrong, most first, and what is no fault is left out.
func TestWithFaults(t *testing.T) {
	err := errors.New("stalled")
	count := func(counter string, n uint64) result.TransitCount {
		return result.TransitCount{Switch: "tor", Program: "p", Counter: counter, N: n}
	}
	for want, counts := range map[string][]result.TransitCount{
		"stalled": {count("pfe-packets", 9), count("pfe-instruction-limit", 9), count("f at p.mc:1:1", 0)},
		"stalled; program p on tor: 7 of its threads ended by f at p.mc:2:1; program p on tor: 5 of its threads ended by f at p.mc:1:1": {
			count("f at p.mc:1:1", 5), count("f", 12), count("f at p.mc:2:1", 7)},
		"stalled; program p on tor: 4 of its threads ended by d at x:1:1; program p on tor: 3 of its threads ended by c at x:1:1; " +
			"program p on tor: 2 of its threads ended by b at x:1:1; 1 more in transit.csv": {
			count("a at x:1:1", 1), count("b at x:1:1", 2), count("c at x:1:1", 3), count("d at x:1:1", 4)},
	} {
		if got := WithFaults(err, counts); got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%v\nwant %s", got, want)
		}
	}
	if got := WithFaults(nil, []result.TransitCount{count("f at p.mc:1:1", 5)}); got != nil {
		t.Errorf("a run that ended well has error %v", got)
	}
}
