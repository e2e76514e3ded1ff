package session

import "fmt"

// Kind is what sort of fault a call met. The zero value is none.
type Kind uint8

// The kinds.
const (
	Invalid     Kind = iota + 1 // the request can never be right
	Unknown                     // it names what is not there
	Exists                      // it names what another has
	OutOfOrder                  // it is not its turn
	NoRoom                      // the switch has no room
	Late                        // nobody came in time
	Aborted                     // others are gone, or began anew
	Unavailable                 // the switch did not get to it
)

// Fault is the answer to a call that fails. Its text names the thing and the fix.
type Fault struct {
	Kind Kind
	Text string
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }

func fault(k Kind, format string, args ...any) *Fault { return &Fault{k, fmt.Sprintf(format, args...)} }
