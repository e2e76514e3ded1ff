package trace

// Wait is a packet of a host that has no result, as the host tells when it is
// asked. Gen and Block are those of its events.
type Wait struct {
	Gen   uint32 `json:"gen"`
	Block uint32 `json:"block"`
	Sent  bool   `json:"sent"` // its own packet has left
}
