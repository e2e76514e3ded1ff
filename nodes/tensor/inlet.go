package tensor

import "github.com/inalab/inalab/internal/sansio"

// Inlet is a stream with messages that is given up at its first fault. The zero value is the
// start of a stream.
type Inlet struct {
	rx     Reader
	broken bool
}

// Fault is why bytes of a stream were not taken.
type Fault uint8

// The faults.
const (
	NoFault    Fault = iota
	OutOfStep        // the stream says something else than what comes next: it is given up
	AfterFault       // it was given up before
)

// Take adds what the stream brought, and calls next, which takes a slice of it, for as long as
// there is something and next finds it ready.
func (in *Inlet) Take(t *sansio.Train, next func(rx *Reader) State) Fault {
	if in.broken {
		return AfterFault
	}
	in.rx.Add(t)
	for !in.rx.Empty() {
		switch next(&in.rx) {
		case Short:
			return NoFault
		case Wrong:
			in.broken = true
			return OutOfStep
		}
	}
	return NoFault
}
