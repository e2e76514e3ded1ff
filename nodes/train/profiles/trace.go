package profiles

import (
	"math/bits"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Step is one tensor of a backward pass, or a bucket of several.
type Step struct {
	Compute units.Duration // between the step before (or the iteration's start) and this tensor being ready to send
	Bytes   units.Bytes
}

// Trace is an iteration as the network sees it: computing, and tensors that
// become ready in between. It ends when the last step is ready.
type Trace []Step

// ForwardShare is the part of the compute time that comes before the backward
// pass, one in so many. Assumed: going back costs twice as much as going forward,
// because it makes the gradient of a layer's inputs as well as of its weights.
const ForwardShare = 3

// Trace returns an assumed trace of the model that computes for so long and
// whose gradient has that size. No paper publishes one (ambiguity
// switchml.alpha-method). After the forward third, tensors become ready from the
// last layer to the first, each after a part of the rest that is in proportion
// to its MACs; tensors of a model without MACs each take the same. The bytes are
// those of [Profile.Tensors], scaled to size and whole float32s.
//
// Nothing but compute time, size and layer list goes in. See [Trace.Fuse] and
// [Trace.Hold] for what else a row can say about the order of events. Compute
// and size must not be negative.
func (p Profile) Trace(compute units.Duration, size units.Bytes) Trace {
	tensors, _ := p.Tensors()
	var params, work int64
	for _, t := range tensors {
		params += int64(t.Params)
		work += t.MACs
	}
	even := work == 0
	if even {
		work = int64(len(tensors))
	}
	forward := compute / ForwardShare
	out := make(Trace, 0, len(tensors))
	var doneParams, doneWork, sent, ready int64
	for i := len(tensors) - 1; i >= 0; i-- {
		doneParams += int64(tensors[i].Params)
		doneWork += tensors[i].MACs
		if even {
			doneWork++
		}
		nextSent := part(int64(size/4), doneParams, params)
		nextReady := int64(forward) + part(int64(compute-forward), doneWork, work)
		out = append(out, Step{Compute: units.Duration(nextReady - ready), Bytes: units.Bytes(4 * (nextSent - sent))})
		sent, ready = nextSent, nextReady
	}
	return out
}

// part returns total * done / whole, rounded down, without overflow. All are not
// negative and done is at most whole, which is not zero.
func part(total, done, whole int64) int64 {
	high, low := bits.Mul64(uint64(total), uint64(done))
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return int64(quotient)
}

// Compute returns the compute time of the whole trace.
func (t Trace) Compute() units.Duration {
	var sum units.Duration
	for _, s := range t {
		sum += s.Compute
	}
	return sum
}

// Bytes returns the size of the whole gradient.
func (t Trace) Bytes() units.Bytes {
	var sum units.Bytes
	for _, s := range t {
		sum += s.Bytes
	}
	return sum
}

// Fuse gathers tensors into buckets, as the toolkits do ("tensor fusion",
// SwitchML section 3): a bucket is ready as soon as it holds at least so many
// bytes; what is left makes the last. A threshold of zero changes nothing.
func (t Trace) Fuse(threshold units.Bytes) Trace {
	var out Trace
	var open Step
	for i, s := range t {
		open.Compute += s.Compute
		open.Bytes += s.Bytes
		if open.Bytes >= threshold || i == len(t)-1 {
			out = append(out, open)
			open = Step{}
		}
	}
	return out
}

// Hold makes the trace agree with a measured overlap: it holds tensors back to
// the end of the pass, from the last one (the first layers) on, until no more
// than that percentage of the communication on the line is hidden behind
// compute. Its reason is the paper's own: a network with large first layers has
// little to send before the end (SwitchML section 2.2). A trace that hides less
// in the first place is returned as it is. The line is the rate at which a
// tensor's bytes are aggregated, headers paid.
func (t Trace) Hold(overlap int, line units.Rate) Trace {
	limit := units.Duration(part(int64(line.TimeToSend(t.Bytes())), int64(overlap), 100))
	hidden := func(early int64) units.Duration {
		return t.heldAfter(units.Bytes(4*early)).Replay(1, line.TimeToSend).Hidden
	}
	least, most := int64(0), int64(t.Bytes()/4)
	if hidden(most) <= limit {
		return slices.Clone(t)
	}
	for most-least > 1 {
		if mid := least + (most-least)/2; hidden(mid) <= limit {
			least = mid
		} else {
			most = mid
		}
	}
	return t.heldAfter(units.Bytes(4 * least))
}

// heldAfter leaves the first so many bytes where they are and moves the others
// to the end of the pass.
func (t Trace) heldAfter(early units.Bytes) Trace {
	if early >= t.Bytes() {
		return t
	}
	var out Trace
	var last Step
	for _, s := range t {
		now := min(s.Bytes, early)
		early -= now
		last.Compute += s.Compute
		last.Bytes += s.Bytes - now
		if now > 0 {
			out = append(out, Step{Compute: last.Compute, Bytes: now})
			last.Compute = 0
		}
	}
	return append(out, last)
}
