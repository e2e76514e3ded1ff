package switchml

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/switchml"
)

// MinWindow bounds the least pool that a scaled run uses (assumed). A pool hides the round-trip
// time, which does not shrink with the link rate. 500 Mbit/s carry 34 SwitchML packets in
// [hostTrip]; App C rounds up to a power of two.
const MinWindow = 64

// hostTrip is the round trip through processes and kernel of a live run (assumed: four links'
// delivery quantum, and two processes; 300 us to 1 ms). A pool is the same under both clocks.
const hostTrip = 600 * units.Microsecond

// slots returns a worker's pool: as many for each thread.
func (s System) slots(j *job.Job) int {
	threads := s.Host.threads()
	return max(threads, s.scaled(j)/threads*threads)
}

// scaled returns the pool at the scale of a job.
func (s System) scaled(j *job.Job) int {
	n := cmp.Or(s.Slots, DefaultSlots)
	if s.Unscaled || j.Scale == 1 {
		return n
	}
	return min(n, max(s.leastPool(j), share(n, j.Scale)))
}

// share returns what the scale leaves of a pool.
func share(pool, scale int) int { return (pool + scale - 1) / scale }

// leastPool is the least pool of a scaled run: the power of two that hides the round trip at its
// rate, and no more than MinWindow. A larger one would only make the scale visible: a worker begins each
// tensor with a packet for each slot that carries nothing but an exponent.
func (s System) leastPool(j *job.Job) int {
	frame := s.frameTime(j)
	if frame == 0 {
		return MinWindow
	}
	need := int((hostTrip+s.trip(j)+frame-1)/frame) + 1
	return min(MinWindow, 1<<bits.Len(uint(need-1)))
}

// frameTime is how long the slowest line of the job takes for a packet; of RoCE, for the longest one
// of a message.
func (s System) frameTime(j *job.Job) units.Duration { return j.FrameTime(1, s.frame()) }

// frame returns the bytes of the largest frame.
func (s System) frame() int {
	if s.Transport == RoCE {
		return rdmaFrame(0, s.packets())
	}
	return inet.EtherLen + s.packet()
}

// trip is how long a lone packet and its sum take between a worker and the switch that completes
// the sum, without the time of a chip.
func (s System) trip(j *job.Job) units.Duration {
	size := s.frame()
	return j.FrameTime(2, size) + j.Latency(size) + s.climb(j) + 2*(j.Host.Latency+j.Host.Frame)
}

// climb is what switches between the workers' and the root add to a round trip.
func (s System) climb(j *job.Job) units.Duration {
	hops, err := tree(j)
	if err != nil { // the layout says so
		return 0
	}
	return j.Climb(hops, s.frame())
}

// poolTrip is the round trip of a full pool: the last of its packets waits for all others on the
// worker's line, of which flows beside the job have a share.
func (s System) poolTrip(j *job.Job) units.Duration {
	slots := s.slots(j)
	if s.Transport == RoCE {
		slots = s.queues(j) * s.packets()
	}
	return j.FrameTime(slots-1, s.frame()) + s.trip(j)
}

// pool returns what a switch must have for the pool of a worker.
func (s System) pool(j *job.Job) int { return host.PoolOf(s.slots(j), s.Host.threads()) }

// poolNote says where a pool is larger than its share by the scale.
func (s System) poolNote(j *job.Job, slots int) []string {
	full := cmp.Or(s.Slots, DefaultSlots)
	switch {
	case s.Unscaled && j.Scale > 1:
		return []string{fmt.Sprintf("pool as it is, not divided by %d: it hides the round-trip time, which does not shrink with link rates", j.Scale)}
	case slots*j.Scale <= full+j.Scale-1:
		return nil
	}
	return []string{fmt.Sprintf("pool of %d slots where %d divided by %d is %d: a pool hides the round-trip time, which does not shrink with link rates", slots, full, j.Scale, share(full, j.Scale))}
}

// leadInvalid is the share of an iteration beyond which the first packets of a pool that is larger than its
// share make the scale visible (assumed: half of what a run may differ from what was expected, 10%).
const leadInvalid = 0.05

// poolCaution says where the pool breaks the scale: each tensor begins with a packet for each slot that
// carries an exponent alone, and these do not become fewer with the tensor.
func (s System) poolCaution(j *job.Job) []string {
	if j.Elements > 0 || s.Unscaled || j.Scale == 1 {
		return nil
	}
	slots := s.slots(j)
	if s.Transport == RoCE {
		slots = s.queues(j) * s.packets()
	}
	more := max(0, slots-share(cmp.Or(s.Slots, DefaultSlots), j.Scale))
	lead := s.frameTime(j) * units.Duration(more*s.Host.calls(j))
	line := s.frameTime(j) * units.Duration(s.Host.blocks(j, s.values()))
	if part := float64(lead) / float64(lead+line+j.SlowestCompute()); part > leadInvalid {
		return []string{fmt.Sprintf("scale %d is too large for the pool: the exponents that %d slots begin a tensor with take %.0f%% of an iteration, and next to nothing at full scale: use a smaller scale", j.Scale, slots, 100*part)}
	}
	return nil
}
