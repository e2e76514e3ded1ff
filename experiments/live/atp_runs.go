package live

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/testbed"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// Runs of ATP of which packets are counted.
const (
	// atpElements make 807 fragments, the last of which is not full.
	atpElements = 50_000
	// atpPatience is a timeout that no packet comes to, so that what is sent again was lost, or stalled:
	// three parameter packets out of order tell that.
	atpPatience = 3 * units.Second
	// atpWindow is the window of runs whose table of aggregators is as small as it is said to be; those of
	// all workers fit the queue before the server.
	atpWindow = 64
	// atpTimeout is some round trips of this machine, for runs in which the last packets of a tensor may
	// be lost: no parameter packets follow that tell it.
	atpTimeout = 100 * units.Millisecond
)

// atpRun is an all-reduce of ATP in one rack, or over racks.
func atpRun(name string, sys atpsystem.System, topology string, hosts, iterations int) liveRun {
	return liveRun{
		name: "ATP, " + name, sys: sys, topology: topology, hosts: hosts, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: countScale,
		elements: atpElements, iterations: iterations,
	}
}

// atpFragments is how many fragments all tensors of a run have.
func atpFragments(r *liveRun) uint64 {
	return uint64(r.iterations) * uint64((r.elements+wire.Values-1)/wire.Values)
}

// named adds up the counters of a name, without those that switches keep of each job beside those of all.
func named(c *result.Cell, name string) (n uint64) {
	for _, k := range c.Counters {
		if whole := "/" + k.Name; strings.HasSuffix(whole, "/"+name) && !strings.Contains(whole, "/atp/") {
			n += k.N
		}
	}
	return n
}

// undisturbed says why a run cannot tell how many packets there are without loss.
func undisturbed(name string, c *result.Cell) error {
	n := resent(c)
	switch {
	case n > 0 && c.Fidelity.Verdict == result.Invalid:
		return fmt.Errorf("%s: %w: %d packets were sent again, though no link loses any", name, ErrBusy, n)
	case n > 0:
		return fmt.Errorf("%s: %d packets were sent again, though no link loses any", name, n)
	}
	return nil
}

// resent is how many packets all workers have sent again.
func resent(c *result.Cell) uint64 { return named(c, sansio.CountResentPackets) }
