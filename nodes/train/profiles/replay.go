package profiles

import "github.com/inalab/inalab/internal/units"

// Timeline is what becomes of an iteration.
//
//	|<------------------- Iteration ------------------->|
//	|<--------------- Compute --------------->|
//	          |<-t1->|     |<- t2 ->|<----- t3 -------->|   Comm = t1 + t2 + t3
//	                 |<--->| Idle             |<------->|   Comm - Hidden
//	          ^ Start
type Timeline struct {
	Start     units.Duration // until the first tensor is ready and communication begins
	Compute   units.Duration
	Comm      units.Duration // time on the line of all tensors
	Hidden    units.Duration // part of Comm during which the GPU computes
	Idle      units.Duration // time between Start and the last byte in which the line has nothing to do
	Iteration units.Duration // until both compute and communication are done
}

// Cost returns how long the aggregation of a tensor occupies the line. The
// TimeToSend of a units.Rate is one.
type Cost func(units.Bytes) units.Duration

// Replay runs the trace on a GPU that is so many times faster. The line takes
// one tensor at a time, in the order of the trace, each when it is ready and the
// line is free. Speed-up is above zero; 1 is the trace's own GPU.
func (t Trace) Replay(speedup float64, cost Cost) Timeline {
	line := Timeline{Compute: t.Compute().Scale(1 / speedup)}
	var computed, free units.Duration
	for i, s := range t {
		computed += s.Compute
		ready := computed.Scale(1 / speedup)
		if i == 0 {
			line.Start, free = ready, ready
		}
		begin := max(ready, free)
		line.Idle += begin - free
		took := cost(s.Bytes)
		free = begin + took
		line.Comm += took
		line.Hidden += max(0, min(free, line.Compute)-begin)
	}
	line.Iteration = max(line.Compute, free)
	return line
}

// Saturation returns alpha of SwitchML Table 1 for the trace: by how much the GPU
// has to be faster so that communication, once it has begun, never waits for
// compute. 1 where it does not wait as it is. With r the times at which tensors
// are ready, from the first one on, and s the line time of all tensors before,
// that is the greatest r/s.
//
// The first tensor weighs much in it: behind a small one the line falls idle on
// any GPU (+Inf if the first has no bytes). The paper's traces have tensors fused, so fuse first ([Trace.Fuse]).
func (t Trace) Saturation(cost Cost) float64 {
	alpha := 1.0
	var since, sent units.Duration
	for i, s := range t {
		if i > 0 {
			since += s.Compute
			if since > 0 {
				alpha = max(alpha, float64(since)/float64(sent))
			}
		}
		sent += cost(s.Bytes)
	}
	return alpha
}
