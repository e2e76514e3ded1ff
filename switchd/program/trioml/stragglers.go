package trioml

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Defaults of the classification, both assumed: some timeouts go by between two
// looks, and a second or so until a worker is taken for dead.
const (
	DefaultLook           = 100 * units.Millisecond
	DefaultPermanentAfter = 10
)

// Stragglers says how temporary are told from permanent stragglers (trio §5, "Advanced
// straggler mitigation").
type Stragglers struct {
	Look           units.Duration // between two looks at the sources of a job; zero: DefaultLook
	PermanentAfter int            // looks in a row with a straggler event; zero: DefaultPermanentAfter
}

// Resolved returns s with its defaults, or an error that names the bad field.
func (s Stragglers) Resolved() (Stragglers, error) {
	s.Look = cmp.Or(s.Look, DefaultLook)
	s.PermanentAfter = cmp.Or(s.PermanentAfter, DefaultPermanentAfter)
	if s.PermanentAfter < 1 {
		return s, fmt.Errorf("a source is never permanent after %d looks: use 1 or more", s.PermanentAfter)
	}
	if s.Look < 0 || s.Look > MaxTimeout {
		return s, fmt.Errorf("looking at stragglers every %v: at most %v is possible", s.Look, MaxTimeout)
	}
	return s, nil
}

// Threads returns how many timer threads look, so that each of the jobs has one of
// its own: job k is looked at by thread k modulo their number.
func (Stragglers) Threads(jobs []Job) int {
	n := 1
	for _, j := range jobs {
		n = max(n, int(j.ID)+1)
	}
	return n
}
