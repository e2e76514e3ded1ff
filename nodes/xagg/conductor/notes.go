package conductor

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/units"
)

// Note is a line for users: what was decided, and why.
type Note struct {
	At   units.Time
	Text string
}

// maxNotes bounds the notes that nobody took (assumed). The oldest go first.
const maxNotes = 1000

// Notes returns the notes since the last call. They are the caller's.
func (c *Conductor) Notes() []Note {
	n := c.notes
	c.notes = nil
	return n
}

func (c *Conductor) note(now units.Time, format string, args ...any) {
	if len(c.notes) == maxNotes {
		c.notes = c.notes[1:]
	}
	c.notes = append(c.notes, Note{At: now, Text: fmt.Sprintf(format, args...)})
}

// Stall says what the next iteration waits for, by the names of hosts; empty where the conductor
// waits for nothing.
func (c *Conductor) Stall(now units.Time) string {
	var parts []string
	part := func(names []string, format string, args ...any) {
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf(format, args...)+" "+strings.Join(names, ", "))
		}
	}
	if !c.tried {
		part(c.untimed(), "the plan of the tree lacks the times of iteration %d from", c.first)
		part(c.unheard(now), "the plan of the tree lacks the first load of")
	}
	part(c.unacknowledged(), "version %d of the tree is not acknowledged by", c.version)
	return strings.Join(parts, "; ")
}
