package pktio

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// jobs are the computes under way. There are a handful at most, one for each
// process of a machine that models computation, so the lists are searched.
type jobs struct {
	clock    TimeSource
	queue    chan func()      // to the thread of computes; nil: there is none yet
	waiting  []sansio.Compute // their Start is still to come
	running  []job
	overruns Overruns
	free     units.Time // when the last compute ended that only asked to be waited for
}

// job is a compute on a goroutine of its own, which waits for the one before.
type job struct {
	start units.Time
	until units.Time
	ended chan units.Time // one value: when it was finished
}

// add starts a compute now, or keeps it until its Start.
func (j *jobs) add(c sansio.Compute, now units.Time) {
	if c.Start > now {
		j.waiting = append(j.waiting, c)
		return
	}
	j.start(c)
}

// maxQueued is how many computes may wait for the one before: a machine has a handful.
const maxQueued = 64

// start runs a compute behind those that were started before. One that is to be waited for
// at once gains nothing from another thread, unless it has to wait for others.
func (j *jobs) start(c sansio.Compute) {
	ended := make(chan units.Time, 1)
	run := func() {
		c.Run()
		ended <- j.clock.Now()
	}
	if c.Until <= c.Start && len(j.running) == 0 {
		run()
	} else {
		j.behind() <- run
	}
	j.running = append(j.running, job{start: c.Start, until: c.Until, ended: ended})
}

// behind returns the queue of a thread that gives way to those of packets.
func (j *jobs) behind() chan<- func() {
	if j.queue == nil {
		queue := make(chan func(), maxQueued)
		j.queue = queue
		go func() {
			giveWay()
			for run := range queue {
				run()
			}
		}()
	}
	return j.queue
}

// nextStart returns when the next waiting compute starts, or [units.Never].
func (j *jobs) nextStart() units.Time {
	next := units.Never
	for _, c := range j.waiting {
		next = min(next, c.Start)
	}
	return next
}

// advance starts what is to start by now and joins what is to end by now, and
// reports whether it joined any.
func (j *jobs) advance(now units.Time) bool {
	j.waiting = slices.DeleteFunc(j.waiting, func(c sansio.Compute) bool {
		if c.Start <= now {
			j.start(c)
			return true
		}
		return false
	})
	before := len(j.running)
	j.running = slices.DeleteFunc(j.running, func(r job) bool {
		if r.until <= now {
			j.join(r)
			return true
		}
		return false
	})
	return len(j.running) < before
}

// joinAll waits for every compute that was started. Those that wait for their
// Start are given up: the machine will not be called again.
func (j *jobs) joinAll() {
	for _, r := range j.running {
		j.join(r)
	}
	j.running, j.waiting = nil, nil
	if j.queue != nil {
		close(j.queue)
	}
}

// join waits for a compute. One without a nominal time, whose Until is its
// Start, only asks to be waited for: it cannot overrun, and what waits for it is
// not late.
func (j *jobs) join(r job) {
	ended := <-r.ended
	if r.until == r.start {
		j.free = max(j.free, ended)
		return
	}
	if over := ended.Sub(r.until); over > 0 {
		j.overruns.Count++
		j.overruns.Max = max(j.overruns.Max, over)
	}
}
