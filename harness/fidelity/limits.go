package fidelity

import "github.com/inalab/inalab/internal/units"

// Limits of lateness: a timer that fires late lets a link, a timeout or a
// straggler last longer than the model says.
const (
	// A link's queue is emptied in steps of this size at worst, and Trio-ML's
	// timeouts are ten times as long (assumed).
	lateTrusted = units.Millisecond
	// What moves an iteration by less than this share is lost in the spread
	// that the stragglers themselves cause (assumed).
	lateTrustedShare = 0.01
	// Where one timer in twenty is later than this many times the trusted limit,
	// with three timers an iteration, every seventh iteration is off by more than
	// a twentieth: the machine shapes the results (assumed). One timer in a
	// hundred would be too few to say so: a short run has little more than a
	// hundred, and a single stall would decide.
	lateInvalid = 5
	// One stall of this share of an iteration moves that one sample visibly,
	// and the mean over 30 iterations by no more than 2% (assumed).
	stallTrusted = 0.5
	// Of a benchmark, whose iterations may be shorter than a scheduler's turn: a dozen
	// threads that have a processor for some milliseconds each (assumed).
	stillBenchmark = 100 * units.Millisecond
)

// lossInvalid is the share of a node's packets that, lost unasked, invalidates a
// run. Assumed: a tensor is some thousand packets, so that beyond this every
// iteration lacks one.
const lossInvalid = 0.001

// Limits of the share of all processors that was busy.
const (
	// Above this a node that wants to run has to wait now and then (assumed).
	busyTrusted = 0.85
	// Above this nothing was left: time on the wall was time in the run queue
	// (assumed; the rest is what the kernel does not account for).
	busyInvalid = 0.97
	// A loop that is busier than this meets bursts with a queue of its own,
	// which no link model has (assumed).
	threadTrusted = 0.90
)

// stolenNamed is the share of the processors' time taken away by the host of a virtual machine from which on it is
// named as a cause of late timers. As one timer in a hundred decides, half of a hundredth can (assumed).
const stolenNamed = 0.005

// overrunInvalid is the share of the iterations of a node whose gradient took
// longer than the nominal compute time, beyond which the compute time is the
// machine's and not the model's (assumed).
const overrunInvalid = 0.05

// Limits of what nobody asked for, under either clock.
const (
	// slowTrusted is how many times the bound an iteration may take: the bound leaves out
	// what software takes, and is a mean where the run is one draw (assumed).
	slowTrusted = 1.5
	// againTrusted is the share of what hosts sent that may be sent again beyond what loss explains: more
	// takes a visible part of a link (assumed).
	againTrusted = 0.1
)
