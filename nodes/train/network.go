package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/train/data"
)

// Network is one replica: parameters, velocity, and the scratch space of one
// mini-batch. It is not safe for concurrent use; the images may be shared.
type Network struct {
	cfg     Config // defaults filled in
	samples data.Set

	params   []float32 // laid out as doc.go says
	velocity []float32 // one for each parameter
	input    inputs

	hidden []float32     // per image of a mini-batch: activations, then their gradient
	logits []classVector // per image: logits, then their gradient
}

// classVector has one number for each class.
type classVector [data.Classes]float32

// New returns a network that draws its mini-batches from samples, which it
// keeps and never writes. All replicas of one job get the same samples, of
// which each worker trains on its [Shard]: the inputs are centred on the mean of
// the whole set. The parameters are zero until [Network.Init].
func New(cfg Config, samples data.Set) (*Network, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if samples.Len() == 0 {
		return nil, errors.New("check samples: the set is empty")
	}
	if len(samples.Images) != samples.Len()*data.Pixels {
		return nil, fmt.Errorf("check samples: %d bytes of images for %d labels of %d pixels", len(samples.Images), samples.Len(), data.Pixels)
	}
	n := &Network{cfg: cfg, samples: samples, input: inputsOf(samples)}
	n.params = make([]float32, ParamsFor(cfg.Hidden))
	n.velocity = make([]float32, len(n.params))
	return n, nil
}

// Replica returns a network with the state that this one has, and memory of its own.
func (n *Network) Replica() *Network {
	r := &Network{cfg: n.cfg, samples: n.samples, input: n.input}
	r.params, r.velocity = slices.Clone(n.params), slices.Clone(n.velocity)
	return r
}

// Params returns the length of the parameter vector and of every gradient.
func (n *Network) Params() int { return len(n.params) }

// Init draws new weights (He et al., "Delving Deep into Rectifiers", 2015:
// variance two over the inputs of a unit), and clears biases and velocity. All
// replicas of one job pass streams of one name, such as [InitStream].
func (n *Network) Init(stream *rng.Stream) {
	v := view(n.params, n.cfg.Hidden)
	drawNormal(v.w1, math.Sqrt(2.0/data.Pixels), stream)
	drawNormal(v.w2, math.Sqrt(2/float64(n.cfg.Hidden)), stream)
	clear(v.b1)
	clear(v.b2)
	clear(n.velocity)
}

func drawNormal(dst []float32, deviation float64, stream *rng.Stream) {
	for i := range dst {
		dst[i] = float32(deviation * stream.Normal())
	}
}

// Apply makes one step of SGD with momentum:
//
//	velocity   = momentum*velocity + meanGrad
//	parameters = parameters - rate*velocity
//
// It panics when meanGrad is not of length [Network.Params].
func (n *Network) Apply(meanGrad []float32) {
	n.checkLength("apply", meanGrad)
	rate, momentum := n.cfg.LearningRate, n.cfg.Momentum
	params, velocity := n.params, n.velocity[:len(n.params)]
	for i, g := range meanGrad[:len(params)] {
		v := float32(momentum*velocity[i]) + g
		velocity[i] = v
		params[i] -= float32(rate * v)
	}
}

// StateLen returns the length of a [Network.State].
func (n *Network) StateLen() int { return len(n.params) + len(n.velocity) }

// State returns a copy of all that [Network.Apply] changes: the parameters, and behind
// them the velocity. A replica that is given it goes on as this one does.
func (n *Network) State() []float32 {
	return append(append(make([]float32, 0, n.StateLen()), n.params...), n.velocity...)
}

// SetState puts a State of a network of the same size in place of this one's; it panics
// at another length.
func (n *Network) SetState(state []float32) {
	if len(state) != n.StateLen() {
		panic(fmt.Sprintf("train: give a state of %d values to a network whose state has %d", len(state), n.StateLen()))
	}
	copy(n.velocity, state[copy(n.params, state):])
}

// checkLength panics unless vector fits the network: the aggregation and the
// network were then set up for different models.
func (n *Network) checkLength(doing string, vector []float32) {
	if len(vector) != len(n.params) {
		panic(fmt.Sprintf("train: %s a gradient of %d elements to a network of %d parameters", doing, len(vector), len(n.params)))
	}
}

// layers is a parameter vector or a gradient, seen as its four parts.
type layers struct{ w1, b1, w2, b2 []float32 }

func view(flat []float32, hidden int) layers {
	b1 := data.Pixels * hidden
	w2 := b1 + hidden
	b2 := w2 + hidden*data.Classes
	return layers{w1: flat[:b1], b1: flat[b1:w2], w2: flat[w2:b2], b2: flat[b2:]}
}
