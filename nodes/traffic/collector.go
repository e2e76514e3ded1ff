package traffic

import (
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// MaxObserved is of how many pairs of addresses a collector keeps what it was told (assumed:
// many times those of a lab). Reports of others count as DropBeyond.
const MaxObserved = 4096

// DropBeyond counts reports of more pairs than a collector keeps.
const DropBeyond = "collector-too-many-pairs"

// Observed is what one engine told a collector of the traffic from an address to another.
type Observed struct {
	By               netip.Addr `json:"by"` // address that the reports came from
	Reports          uint64     `json:"reports"`
	dataplane.Report            // the latest
}

// Collector takes the reports that a program in switches sends over UDP. It is a
// [sansio.Machine] without timers.
type Collector struct {
	sansio.Untimed
	read     dataplane.ReadReport
	observed []Observed // in the order of first reports
	drops    sansio.Tally
}

// NewCollector returns a collector that was told nothing.
func NewCollector(read dataplane.ReadReport) *Collector { return &Collector{read: read} }

// Handle takes reports.
func (c *Collector) Handle(_ units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		ip, _, ok := t.UDP()
		for k := range t.Frames() {
			r, whole := c.read(t.Payload(k))
			if !ok || !whole {
				c.drops.Add(DropUnexpected, 1)
				continue
			}
			c.take(ip.Src(), r)
		}
	}
}

func (c *Collector) take(by netip.Addr, r dataplane.Report) {
	i := slices.IndexFunc(c.observed, func(o Observed) bool { return o.By == by && o.Src == r.Src && o.Dst == r.Dst })
	if i < 0 && len(c.observed) == MaxObserved {
		c.drops.Add(DropBeyond, 1)
		return
	}
	if i < 0 {
		i, c.observed = len(c.observed), append(c.observed, Observed{By: by})
	}
	c.observed[i].Reports++
	c.observed[i].Report = r
}

// Observed returns what was reported so far, in the order of first reports.
func (c *Collector) Observed() []Observed { return slices.Clone(c.observed) }

// Counters returns drops by reason.
func (c *Collector) Counters() []sansio.Count { return c.drops.List() }
