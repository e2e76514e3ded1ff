package chassis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// misplaced is what is wrong with a program on PFEs, whose names stand between two parts of the sentence.
type misplaced struct {
	before, after string
	pfes          []string
	cause         error // what it quotes; nil: nothing
}

// namesPFE is where the format of a misplaced error names the PFE.
const namesPFE = "{pfe}"

// misplace returns what is wrong on the PFE of an engine, which format names once as namesPFE.
func (c *Chassis) misplace(e *engine, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	m := &misplaced{pfes: []string{c.cfg.pfeName(e.pfe)}, cause: errors.Unwrap(err)}
	m.before, m.after, _ = strings.Cut(err.Error(), namesPFE)
	return m
}

func (m *misplaced) Error() string { return m.before + strings.Join(m.pfes, ", ") + m.after }

func (m *misplaced) Unwrap() error { return m.cause }

// joinMisplaced joins errors, and says once what is wrong on several PFEs.
func joinMisplaced(errs []error) error {
	var out []error
	for _, err := range errs {
		m, ok := err.(*misplaced)
		same := func(o error) bool {
			first, is := o.(*misplaced)
			return ok && is && first.before == m.before && first.after == m.after
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			first := out[i].(*misplaced)
			if !slices.Contains(first.pfes, m.pfes[0]) {
				first.pfes = append(first.pfes, m.pfes[0])
			}
		} else {
			out = append(out, err)
		}
	}
	return errors.Join(out...)
}
