package switchml

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// Host is what SwitchML's hosts may do in one way or another. The zero
// value is one thread, one tensor of int32, and a timeout that does not change.
type Host struct {
	Threads int           // that share the pool; zero means 1
	Backoff bool          // timeouts double after many, as in the public client
	Coarse  bool          // timers are looked at once a timeout, as in the public client; no knob of scenarios
	Tensors Tensors       // zero means OneTensor
	Values  host.Values   // zero means host.Int32
	Scaling gradient.Rule // zero means gradient.AppendixE
}

// Tensors is how a gradient is handed to the protocol.
type Tensors string

// How a gradient is handed over.
const (
	OneTensor Tensors = "one"    // whole
	Layers    Tensors = "layers" // layer by layer, each when the one before is reduced
	Stream    Tensors = "stream" // layer by layer, as one stream (SwitchML App B)
)

// configure reads the knobs. What is as by default stays zero.
func (h *Host) configure(k job.Knobs) {
	if n, err := strconv.Atoi(k.Choice("switchml.threads", "1", "2", "4", "8", "16")); err == nil && n > 1 {
		h.Threads = n
	}
	h.Backoff = k.Choice("switchml.backoff", "none", "client") == "client"
	h.Tensors = Tensors(unlessFirst(k, "switchml.tensors", string(OneTensor), string(Layers), string(Stream)))
	h.Values = host.Values(unlessFirst(k, "switchml.values", host.Kinds()...))
	h.Scaling = gradient.Rule(unlessFirst(k, "switchml.scaling", gradient.Rules()...))
}

// unlessFirst reads a word; the first of those allowed is the default, and "".
func unlessFirst(k job.Knobs, path string, allowed ...string) string {
	word := k.Choice(path, allowed...)
	if word == allowed[0] {
		return ""
	}
	return word
}

func (h *Host) threads() int { return max(1, h.Threads) }

// apply sets what the knobs say in a worker's configuration.
func (h *Host) apply(c *host.Config, j *job.Job) {
	c.Threads, c.Values, c.Scaling = h.Threads, h.Values, h.Scaling
	c.OnePort = h.Threads > 1 && !j.Virtual
	c.Tensors, c.Streaming = h.tensors(j), h.Tensors == Stream
	c.Coarse = h.Coarse
	if h.Backoff {
		c.Threshold, c.Increment = host.ClientThreshold, host.ClientThreshold
	}
}

// tensors returns the lengths of the model's tensors, in proportion to its layers;
// nil: the gradient is one. Those that the scale leaves nothing of are left out.
func (h *Host) tensors(j *job.Job) (out []int) {
	if h.Tensors != Layers && h.Tensors != Stream {
		return nil
	}
	list, _ := j.Model.Tensors()
	return inProportion(list, j.Params)
}

// inProportion cuts so many elements as a list of tensors is cut.
func inProportion(list []profiles.Tensor, elements int) (out []int) {
	all := 0
	for _, t := range list {
		all += t.Params
	}
	done, cut := 0, 0
	for i, t := range list {
		done += t.Params
		next := elements
		if i < len(list)-1 {
			next = int(float64(elements) * float64(done) / float64(max(1, all)))
		}
		if next > cut {
			out = append(out, next-cut)
			cut = next
		}
	}
	return out
}

// blocks returns the packets of a gradient, of so many values each.
func (h *Host) blocks(j *job.Job, values int) (n int) {
	list := h.tensors(j)
	if list == nil {
		list = []int{j.Params}
	}
	for _, t := range list {
		n += (t + values - 1) / values
	}
	return n
}

// calls returns how many tensors wait for the one before.
func (h *Host) calls(j *job.Job) int {
	if h.Tensors != Layers {
		return 1
	}
	return len(h.tensors(j))
}

// validate reports knobs that cannot be together.
func (h *Host) validate(j *job.Job) error {
	if h.tensors(j) != nil && j.Sample.Every > 1 {
		return errors.New("switchml.tensors: a run that carries lengths in place of values has its gradient in one tensor")
	}
	if h.Values != "" && h.Values != host.Int32 && j.Elements > 0 {
		return errors.New("switchml.values: a benchmark of int32 tensors sends them as they are")
	}
	return nil
}

// notes says what is not as on the paper's hosts.
func (h *Host) notes(j *job.Job) (out []string) {
	if h.Threads > 1 && !j.Virtual {
		out = append(out, fmt.Sprintf("%d threads share the slots but run in turn on one UDP port: a live worker has one socket", h.Threads))
	}
	return out
}
