package atp

import (
	"fmt"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// DefaultAge is the age from which an aggregator is taken for abandoned (§3.7 has no value; assumed).
const DefaultAge = 10 * units.Millisecond

// Config describes the program of one switch.
type Config struct {
	Node        string         // name in trace events
	Aggregators int            // 0: none, so that servers add everything
	Age         units.Duration `json:",omitempty"` // zero: DefaultAge
	Jobs        []Job          `json:",omitempty"` // from the start; others come and go at run time

	Trace trace.Sink `json:"-"` // nil: no events
}

// Check reports what is wrong beside the jobs.
func (c *Config) Check() error {
	if c.Aggregators < 0 || c.Aggregators > wire.MaxAggregators {
		return fmt.Errorf("%d aggregators: 0 to %d are possible", c.Aggregators, wire.MaxAggregators)
	}
	if c.Age < 0 {
		return fmt.Errorf("aggregators abandoned after %v: that must not be negative", c.Age)
	}
	return nil
}
