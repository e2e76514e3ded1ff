package atp

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
)

// Counter is a counter of a job, and of a program for all its jobs.
type Counter uint8

// The counters. Each packet of a job is counted once among those of Packets, and once by its fate.
const (
	Packets Counter = iota

	Aggregated // gradient packets whose values went into an aggregator
	Results    // sums of all sources that left
	Collisions // gradient packets that met another's aggregator, or a switch without any
	Resends    // gradient packets that were not to reserve an aggregator
	Parameters // parameter packets
	Floats     // gradient packets of float32, and requests for them

	Reserved         // aggregators
	FreedByParameter // aggregators, by a parameter packet of their number
	FreedByAge       // aggregators, by a parameter packet with their index, of any job
	FreedByResend    // aggregators
	Partials         // of these the ones whose sum left at a first edge switch
	Forgotten        // aggregators, with the switch's memory or before a job began
	Saturated        // aggregators in which a value came to an end of the range
	Marks            // packets marked in their IP header

	NotHere   // packets that another switch is to aggregate, or that come by a port where they cannot be from
	BadFanIn  // gradient packets whose fan-in is not that of the job, sent on for the server to add
	BadIndex  // gradient packets that name an aggregator beyond the table, likewise
	Unlike    // gradient packets of unstored values for an aggregator of stored ones, or the other way round: likewise
	Duplicate // dropped: gradient packets whose values are in their aggregator
	Forged    // dropped: parameter packets that are not from a server of the job, or by a port that is not on its way

	counters // how many there are
)

// names are those of counters; drops have names of reasons.
var names = [counters]string{
	Packets:          "atp-packets",
	Aggregated:       "atp-aggregated",
	Results:          "atp-results",
	Collisions:       "atp-collisions",
	Resends:          "atp-resends",
	Parameters:       "atp-parameters",
	Floats:           "atp-floats-passed",
	Reserved:         "atp-aggregators-reserved",
	FreedByParameter: "atp-aggregators-freed-by-parameter",
	FreedByAge:       "atp-aggregators-freed-by-age",
	FreedByResend:    "atp-aggregators-freed-by-resend",
	Partials:         "atp-partial-results",
	Forgotten:        "atp-aggregators-forgotten",
	Saturated:        "atp-aggregators-saturated",
	Marks:            "atp-marks",
	NotHere:          "atp-not-here-passed",
	BadFanIn:         "atp-fan-in-of-another-job",
	BadIndex:         "atp-index-beyond-the-table",
	Unlike:           "atp-unstored-and-stored-values",
	Duplicate:        "atp-duplicate",
	Forged:           "atp-forged-parameters",
}

// String returns the counter's name.
func (c Counter) String() string { return names[c] }

// Names of counters of packets that are of no job: they pass unchanged. Those that are not ATP, though
// they come to its port, are counted under the problem of the wire format, or of UDP.
const (
	CountUnknownJob = "atp-unknown-job-passed"
	CountLevels     = "atp-other-levels-passed"   // a header of more or fewer levels than those of its job
	CountReserved   = "atp-reserved-flags-passed" // a parameter packet on its way to a server
	CountOptions    = "atp-ip-options-passed"
)

// Counts are the counters of one job.
type Counts [counters]uint64

// add adds those of another.
func (c *Counts) add(o *Counts) {
	for i, n := range o {
		c[i] += n
	}
}

// List returns those that are not 0, by the order of their constants.
func (c *Counts) List(prefix string) (out []sansio.Count) {
	for i, n := range c {
		if n > 0 {
			out = append(out, sansio.Count{Name: prefix + names[i], N: n})
		}
	}
	return out
}

// PrefixOf is what stands before the names of counters of one job, beside which there are those of
// all jobs together.
func PrefixOf(job uint8) string { return fmt.Sprintf("atp/%d/", job) }
