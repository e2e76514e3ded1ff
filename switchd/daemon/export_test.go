package daemon

// The other end of a switch's conversation, for tests from outside, which run real systems.
type Parent = parent

// NewParent makes one.
var NewParent = newParent

// Forwards is closed when the switch is ready.
func (c *parent) Forwards() <-chan struct{} { return c.ready }
