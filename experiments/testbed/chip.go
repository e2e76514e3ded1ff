package testbed

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/tofino"
)

// SwitchTime is what a packet takes from port to port of a switch in one pass, without queues.
func SwitchTime(e *experiment.Env) units.Duration {
	return units.Microsecond.Scale(e.Constants.Get("tofino.latency"))
}

// PassTime is what each further pass takes (SwitchML §5).
func PassTime(e *experiment.Env) units.Duration {
	return units.Microsecond.Scale(e.Constants.Get("tofino.pass"))
}

// TimedPipe is the emulated Tofino whose passes, ports inside and queues take time.
func TimedPipe(e *experiment.Env) switchml.Pipe {
	return switchml.Pipe{Pipeline: true, Timed: true, Times: switchml.PassTimes{Once: SwitchTime(e), Further: PassTime(e)}}
}

// TimedATP is the same for ATP. Links have what any packet takes from port to port, so that further passes alone
// take time there.
func TimedATP(e *experiment.Env) atp.Pipe {
	return atp.Pipe{Pipeline: true, Timed: true, Links: true, Pass: PassTime(e)}
}

// What aggregates in the switches of a run, as tables say it.
const (
	OnTimedPipeline = string(claims.SwitchPipelineTimed)
	OnPipeline      = string(claims.SwitchPipeline)
	OnReference     = string(claims.SwitchReference)
	OnHosts         = string(claims.SwitchHosts) // in switches nothing does
)

// RanOn says what aggregated in the switches of a run, of SwitchML, ATP or a system of hosts alone. An emulated
// chip counts its passes: that there are some and the system did not ask for them, or the other way round, is an
// error.
func RanOn(sys job.System, c *result.Cell) (string, error) {
	var asked, timed bool
	switch s := sys.(type) {
	case switchml.System:
		asked, timed = s.Pipe.Pipeline, s.Pipe.Timed
	case atp.System:
		asked, timed = s.Pipe.Pipeline, s.Pipe.Timed
	default:
		return OnHosts, nil
	}
	n := passes(c)
	switch {
	case asked != (n > 0):
		return "", fmt.Errorf("%d passes of a chip: switches ran another program than they should: %s", n, strings.Join(c.Notes, "; "))
	case !asked:
		return OnReference, nil
	case timed:
		return OnTimedPipeline, nil
	}
	return OnPipeline, nil
}

// passes adds up those of all chips.
func passes(c *result.Cell) (n uint64) {
	for _, k := range c.Counters {
		if strings.HasSuffix(k.Name, tofino.CountPasses) {
			n += k.N
		}
	}
	return n
}
