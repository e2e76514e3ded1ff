package newreno

// State is a state of a connection (RFC 9293 §3.3.2).
type State uint8

// The states, in the order of a connection's life.
const (
	Closed State = iota
	Listen
	SynSent
	SynReceived
	Established
	FinWait1
	FinWait2
	CloseWait
	Closing
	LastAck
	TimeWait
)

var stateNames = [...]string{
	"CLOSED", "LISTEN", "SYN-SENT", "SYN-RECEIVED", "ESTABLISHED",
	"FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT", "CLOSING", "LAST-ACK", "TIME-WAIT",
}

// String returns the name in RFC 9293.
func (s State) String() string { return stateNames[s] }

// sends reports whether there may be bytes or a FIN to send, for the first time
// or again.
func (s State) sends() bool {
	switch s {
	case Established, CloseWait, FinWait1, Closing, LastAck:
		return true
	}
	return false
}

// receives reports whether the peer may still say something new.
func (s State) receives() bool {
	return s == Established || s == FinWait1 || s == FinWait2
}

// The transitions of closing (RFC 9293 §3.6, figure 5). A state that an event
// does not change is not listed.
var (
	onFinSent     = map[State]State{Established: FinWait1, CloseWait: LastAck}
	onFinAcked    = map[State]State{FinWait1: FinWait2, Closing: TimeWait, LastAck: Closed}
	onFinReceived = map[State]State{Established: CloseWait, FinWait1: Closing, FinWait2: TimeWait}
)
