package rates

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Defaults of a [Config].
const (
	// DefaultResend is longer than the 12 ms that a worker of the paper waits for its first rate
	// (assumed: the paper says nothing of lost messages).
	DefaultResend = 50 * units.Millisecond
	// DefaultLossShare is the paper's threshold (XAgg §IV-C).
	DefaultLossShare = 0.01
	// DefaultFloor keeps a child that lost everything sending (assumed).
	DefaultFloor = 1 * units.MbitPerSecond
)

// MaxChildren is the most children of a node: host ids have 32 bits (XAgg §IV-A), of which the
// node has one.
const MaxChildren = 31

// Config describes a node of the tree.
type Config struct {
	ID        ID
	Parent    ID             // 0 for the root, the PS
	Tree      uint16         // the change of the tree that made the edges of the node
	Children  []ID           // none for a worker
	Ingress   units.Rate     // idle bandwidth towards the node, of whole frames; unused by a worker
	Egress    units.Rate     // idle bandwidth from the node, of whole frames; of the root towards the workers, where 0 bounds nothing
	Resend    units.Duration // until a message is sent again that is not confirmed; 0 is DefaultResend
	LossShare float64        // share of lost packets above which a rate is cut; 0 is DefaultLossShare
	Floor     units.Rate     // least rate that a cut leaves; 0 is DefaultFloor
}

// resolve puts defaults in the place of zeros.
func (c *Config) resolve() {
	c.Resend = cmp.Or(c.Resend, DefaultResend)
	c.LossShare = cmp.Or(c.LossShare, DefaultLossShare)
	c.Floor = cmp.Or(c.Floor, DefaultFloor)
}

// validate checks a configuration whose zeros are resolved.
func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.ID == 0 || c.Parent == c.ID {
		fault("node %d below node %d: a node needs an id other than 0 and than its parent's", c.ID, c.Parent)
	}
	if c.Parent == 0 && len(c.Children) == 0 {
		fault("node %d has neither a parent nor children: give it one of them", c.ID)
	}
	if len(c.Children) > MaxChildren {
		fault("node %d has %d children: host ids leave room for %d", c.ID, len(c.Children), MaxChildren)
	}
	if len(c.Children) > 0 && c.Ingress <= 0 {
		fault("node %d has children and an ingress bandwidth of %d bit/s: it must be positive", c.ID, int64(c.Ingress))
	}
	if c.Parent != 0 && c.Egress <= 0 {
		fault("node %d has a parent and an egress bandwidth of %d bit/s: it must be positive", c.ID, int64(c.Egress))
	}
	if c.Resend < 0 || c.Floor < 0 || !(c.LossShare > 0 && c.LossShare < 1) {
		fault("node %d: resend time %v and floor %d bit/s must not be negative, and the loss share %v must lie between 0 and 1", c.ID, c.Resend, int64(c.Floor), c.LossShare)
	}
	return errors.Join(errs...)
}
