package capacity

import "github.com/inalab/inalab/internal/units"

// Limits of what a run may need.
const (
	// slower is how much longer than expected an iteration may take (assumed: half of what a
	// comparison of systems tells apart).
	slower = 0.05
	// headroom is the share of that time which packet threads may fill. The kernel works for them
	// beside them, and what they do comes in bursts (assumed).
	headroom = 0.8
	// gradientShare is the share of all processors, over the nominal time of a compute, that the
	// gradients of all workers may take (assumed: they begin at once, and an overrun of one makes a
	// run busy).
	gradientShare = 0.5
)

// Bounds of trials and of the search.
const (
	// Iterations are those of a trial. The first one warms caches and sockets up.
	Iterations = 4
	// mostTries bounds the search.
	mostTries = 6
	// growth is by how much a scale is raised whose iterations are too slow for no reason that the
	// processors tell.
	growth = 2
	// helped is the least that this must take from the excess: else the scale is not why they are slow
	// (assumed).
	helped = 0.25
	// tolerance is by how much a scale that a user asks for may miss the limits before it is refused: two
	// trials of one run differ by as much (assumed).
	tolerance = 1.15
	// mostTimes is how many times the scale of the rule is tried at most (assumed: links are then
	// slower than 10 Mbit/s, and frames of 9000 bytes take 7 ms).
	mostTimes = 64
	// leastTime is the least time for packets that a share is taken of: the processor time of a node
	// that has nothing to do would count as a load otherwise (assumed).
	leastTime = units.Millisecond
)

const (
	// mostLines is what all lines of hosts carry together on no machine: a packet thread copies each
	// byte, at the rate of a processor's memory (assumed: 12 GB/s).
	mostLines = 100 * units.GbitPerSecond
	// fewLines is what they carry on every machine, without a trial (assumed: 25 thousand small
	// frames a second).
	fewLines = 250 * units.MbitPerSecond
	// mostKept bounds the tensors that a run keeps for the check of its sums (assumed: what a
	// temporary directory has room for).
	mostKept = units.GiB
)
