package testbed

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/trio"
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
	OnMicrocode     = string(claims.SwitchMicrocode)
	OnPFE           = string(claims.SwitchPFE)
	OnReference     = string(claims.SwitchReference)
	OnHosts         = string(claims.SwitchHosts) // in switches nothing does
)

// RanOn says what aggregated in the switches of a run, of SwitchML, ATP, Trio-ML or a system of hosts alone. An
// emulated chip counts its passes or packets: that there are some and the system did not ask for them, or the
// other way round, is an error.
func RanOn(sys job.System, c *result.Cell) (string, error) {
	counts, on := asked(sys)
	if counts == "" {
		return OnHosts, nil
	}
	if n := counted(c, counts); (on != OnReference) != (n > 0) {
		return "", fmt.Errorf("%d %s: switches ran another program than they should: %s", n, counts, strings.Join(c.Notes, "; "))
	}
	return on, nil
}

// asked returns what the chip of a system counts, and what the system asked for; nothing for one of hosts alone.
func asked(sys job.System) (counts, on string) {
	var chip, timed bool
	instant, withTime := OnPipeline, OnTimedPipeline
	switch s := sys.(type) {
	case switchml.System:
		counts, chip, timed = tofino.CountPasses, s.Pipe.Pipeline, s.Pipe.Timed
	case atp.System:
		counts, chip, timed = tofino.CountPasses, s.Pipe.Pipeline, s.Pipe.Timed
	case trioml.System:
		counts, chip, timed = trio.CountPackets, !s.PFE.Reference, s.PFE.Timing != nil
		instant, withTime = OnMicrocode, OnPFE
	default:
		return "", ""
	}
	switch {
	case !chip:
		return counts, OnReference
	case timed:
		return counts, withTime
	}
	return counts, instant
}

// counted adds up a counter of all chips.
func counted(c *result.Cell, name string) (n uint64) {
	for _, k := range c.Counters {
		if strings.HasSuffix(k.Name, name) {
			n += k.N
		}
	}
	return n
}
