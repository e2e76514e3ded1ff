package atp

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
)

// System is ATP. Zero knobs are the defaults of its hosts and its switches, which are the
// paper's where it has some.
type System struct {
	Aggregators int  // of a switch, at full scale; zero: DefaultAggregators; None: none
	Unscaled    bool // use aggregators, window and span as they are
	Indexing    host.Indexing
	Parts       int // of the table, with static indexing: the job with id n has the n-th; zero means 1
	Rehash      server.Rehash
	ByPlace     bool           // a place of the window moves, not all packets that name an index
	Aligned     bool           // an index that moves does so for all workers at one number
	Levels      Levels         // that aggregate
	Age         units.Duration // of an aggregator that is taken for abandoned; zero: program.DefaultAge
	ServerCount int            // zero means 1
	Colocated   bool           // servers are on the hosts of the first workers
	Threads     int            // of a worker; zero means 1

	Window       int // of a worker, in packets; zero: host.DefaultWindow
	Span         int // of a stream; zero: host.DefaultSpan
	LeastWindow  int // of a stream; zero means 1
	Fixed        bool
	Doubling     bool
	Avoidance    bool
	EachMark     bool
	Resend       host.Resend
	ExpectedOnly bool
	Keep         bool
	Timeout      units.Duration // zero: host.DefaultTimeout, or what all packets in flight take on a slow line, or to be copied; live ten times that

	Factor int // that values are multiplied by; zero: gradient.DefaultFactor, the paper's (§3.8)

	Superset bool       // a server takes a packet with more workers in place of what it has
	Copy     units.Rate // of frames at a server, at full scale; zero: at once
	Ring     int        // frames that wait for that, at full scale; zero: without limit

	Pipe Pipe // what aggregates in switches

	SequenceBits int // fewer are for tests, in which numbers come round soon; zero: wire.SequenceBits

	deep int // levels of headers with more than two, once a job is placed
}

// Levels are the switches that aggregate.
type Levels uint8

// The kinds of levels.
const (
	TwoLevels Levels = iota // those of the racks, and that of the server
	RackLevel               // those of the racks alone: the server adds their sums (§5.2.2: a rack-scale service)
	AllLevels               // every switch on the ways to the server, which must be fixed (appendix A.2)
)

// None is how many aggregators a [System] has whose switches have none: servers add all.
const None = -1

// DefaultAggregators is the table of the public code (in-ATP/ATP, client utils.h); the paper has no
// number.
const DefaultAggregators = 20_000

// liveTimeout is how many times that under the virtual clock a timeout is live by default
// (assumed: processes wait for a processor).
const liveTimeout = 10

// MinWindow is the least window of a scaled run, and the least table: they hide a round-trip
// time, which does not shrink with link rates (assumed, as SwitchML's).
const MinWindow = 64

// Name returns "atp".
func (System) Name() string { return "atp" }

// Rank is its place in tables.
func (System) Rank() int { return job.RankInNetwork + 20 }

// Description says what it is.
func (System) Description() string {
	return "ATP: jobs share the aggregators of switches as they come, and parameter servers, beside workers or on hosts of their own, add the rest"
}

// Servers returns the hosts that servers need for themselves.
func (s System) Servers(int) int {
	if s.Colocated {
		return 0
	}
	return s.servers()
}

func (s System) servers() int { return cmp.Or(s.ServerCount, 1) }

func (s System) threads() int { return cmp.Or(s.Threads, 1) }

// streams is how many sequences of numbers a worker has.
func (s System) streams() int { return s.servers() * s.threads() }

// scaled returns a number at the scale of a job.
func (s System) scaled(j *job.Job, n int) int {
	if s.Unscaled {
		return n
	}
	return min(n, max(MinWindow, (n+j.Scale-1)/j.Scale))
}

// aggregators returns those of a switch. At a scale they are as many as the least spans at least.
func (s System) aggregators(j *job.Job) int {
	n := cmp.Or(s.Aggregators, DefaultAggregators)
	switch {
	case s.Aggregators == None:
		return 0
	case s.Unscaled:
		return n
	}
	return min(n, max(MinWindow*s.streams(), (n+j.Scale-1)/j.Scale))
}

// span returns that of a stream. A static part of a table is for all packets in flight.
func (s System) span(j *job.Job) int {
	n := s.scaled(j, cmp.Or(s.Span, host.DefaultSpan))
	if s.Indexing == host.Static {
		n = max(1, min(n, s.part(j)/s.streams()))
	}
	return n
}

// window returns that of a worker when it starts.
func (s System) window(j *job.Job) int {
	return min(s.scaled(j, cmp.Or(s.Window, host.DefaultWindow)), s.streams()*s.span(j))
}

// part returns how many aggregators a part of the table has, with static indexing.
func (s System) part(j *job.Job) int { return s.aggregators(j) / s.parts() }

func (s System) parts() int { return cmp.Or(s.Parts, 1) }

// timeout is how long a worker waits before it sends again.
func (s System) timeout(j *job.Job) units.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	d := max(host.DefaultTimeout, s.inFlight(j))
	if !j.Virtual {
		d *= liveTimeout
	}
	return d
}

// timeoutRule says how a default timeout follows.
func (s System) timeoutRule(j *job.Job) string {
	if s.Timeout > 0 {
		return ""
	}
	rule := fmt.Sprintf("the default of %v", host.DefaultTimeout)
	if s.inFlight(j) > host.DefaultTimeout {
		rule = "what the packets that workers may have in flight take on the line of a server"
	}
	if !j.Virtual {
		rule += fmt.Sprintf(", %d times as long live", liveTimeout)
	}
	return fmt.Sprintf("timeout of %v by rule: %s", s.timeout(j), rule)
}

// inFlight is how long all packets that workers may have in flight to a server take on its line, or to be
// copied there (§5.5).
func (s System) inFlight(j *job.Job) units.Duration {
	packets, size := len(j.Hosts())*s.threads()*s.span(j), inet.EtherLen+s.packet()
	d := j.FrameTime(packets, size)
	if rate := s.copyRate(j); rate > 0 {
		d = max(d, rate.TimeToSend(units.Bytes(packets*size)))
	}
	return d
}

// FullWindow keeps window and aggregators.
func (s System) FullWindow(int) job.System {
	s.Unscaled = true
	return s
}

// Recovers says that workers send lost packets again.
func (System) Recovers() error { return nil }

// Survives says that a switch may lose all that it has (§3.1), and that the others wait for a worker that
// ended (A.3). What a server has stored is nowhere else.
func (s System) Survives(r job.Role) error {
	switch {
	case r == job.AsWorker && s.Colocated:
		return errors.New("atp has servers beside workers, and what a server stored would be lost with it: set atp.servers=dedicated")
	case r == job.AsServer:
		return errors.New("the parameters that it stored are lost with it")
	}
	return nil
}

// Resumes says that a job takes workers back.
func (System) Resumes() error { return nil }
