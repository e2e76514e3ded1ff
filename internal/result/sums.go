package result

import (
	"fmt"
	"strings"
)

// CheckSums returns an error that says which run had wrong sums, or none that were
// checked. A computed cell has no sums.
func (c *Cell) CheckSums() error {
	if c.Computed != 0 || c.Wrong == 0 && c.Checked > 0 {
		return nil
	}
	return fmt.Errorf("%s at p=%g%%: %d of %d delivered values are wrong; %s", c.System, 100*c.StraggleP, c.Wrong, c.Checked, strings.Join(c.Notes, "; "))
}
