package profiles

import "cmp"

// Tensor is one gradient tensor of a model.
type Tensor struct {
	Name   string // layer, and weight or bias where it has both; unique in the model
	Params int    // float32 values
	MACs   int64  // multiply-accumulates of its layer for one sample (for BERT: one token), forward; zero for biases, norms and tables
}

// SyntheticTensors is how many tensors stand in for a layer list that is not
// public. Assumed: with n equal tensors the trace is right to one part in n.
const SyntheticTensors = 64

// architectures holds the layer lists. Each is computed from the layer shapes
// that its authors published; the sums are checked against published counts.
var architectures = map[string]func() []Tensor{
	"alexnet":         alexnet,
	"bert-large":      bertLarge,
	"densenet161":     densenet161,
	"inception-v3":    inceptionV3,
	"neumf-ml20m":     neuMF,
	"resnet101":       func() []Tensor { return resnet([4]int{3, 4, 23, 3}) },
	"resnet152":       func() []Tensor { return resnet([4]int{3, 8, 36, 3}) },
	"resnet50":        func() []Tensor { return resnet([4]int{3, 4, 6, 3}) },
	"ssd300-resnet50": ssd300,
	"vgg11":           func() []Tensor { return vgg([5]int{1, 1, 2, 2, 2}) },
	"vgg16":           func() []Tensor { return vgg([5]int{2, 2, 3, 3, 3}) },
	"vgg19":           func() []Tensor { return vgg([5]int{2, 2, 4, 4, 4}) },
}

// Tensors returns the model's gradient tensors in forward order; backward
// propagation makes them from the last to the first. Their Params sum to
// p.Params. Public is the list; that a paper's SSD and NCF are the ones listed is
// assumed, and p.Source says so. Where no layer list is public it returns
// [SyntheticTensors] of equal size and false: nothing is known of such a model,
// and equal tensors add no detail that could pass for knowledge.
func (p Profile) Tensors() (list []Tensor, public bool) {
	if build := architectures[p.Architecture]; build != nil {
		return build(), true
	}
	list = make([]Tensor, SyntheticTensors)
	done := 0
	for i := range list {
		next := int(part(int64(p.Params), int64(i+1), SyntheticTensors))
		list[i] = Tensor{Name: name("synthetic", i), Params: next - done}
		done = next
	}
	return list, false
}

// network is a network under construction: the layers so far, and what leaves
// the last of them.
type network struct {
	tensors  []Tensor
	channels int
	side     int // of the square feature map, pixels
}

// conv describes a convolution. The feature map is square and stays so: a
// kernel that is not square is padded in its width to keep it.
type conv struct {
	name        string
	out         int // channels
	height      int // of the kernel; also its width where that is zero
	width       int
	stride, pad int // zero stride means one; pad is rows above and below
	bias        bool
	norm        string // a batch normalisation of that name follows; empty for none
}

// add appends a tensor.
func (n *network) add(name string, params int, macs int64) {
	n.tensors = append(n.tensors, Tensor{Name: name, Params: params, MACs: macs})
}

// convolve appends a convolution and, if it is named, the normalisation.
func (n *network) convolve(c conv) {
	width, stride := cmp.Or(c.width, c.height), max(c.stride, 1)
	n.side = (n.side+2*c.pad-c.height)/stride + 1
	weights := c.out * n.channels * c.height * width
	n.add(c.name+".weight", weights, int64(weights)*int64(n.side)*int64(n.side))
	n.channels = c.out
	if c.bias {
		n.add(c.name+".bias", c.out, 0)
	}
	if c.norm != "" {
		n.norm(c.norm)
	}
}

// norm appends a batch normalisation of all channels.
func (n *network) norm(name string) {
	n.add(name+".weight", n.channels, 0)
	n.add(name+".bias", n.channels, 0)
}

// pool shrinks the feature map; it has no parameters.
func (n *network) pool(kernel, stride, pad int) { n.side = (n.side+2*pad-kernel)/stride + 1 }

// linear appends a fully connected layer over everything that comes in. The
// feature map has been pooled to the side given before.
func (n *network) linear(name string, out int) {
	in := n.channels * n.side * n.side
	n.add(name+".weight", in*out, int64(in)*int64(out))
	n.add(name+".bias", out, 0)
	n.channels, n.side = out, 1
}

// parallel builds branches that all read what comes in now, and whose outputs
// are stacked. All have to end with feature maps of one size.
func (n *network) parallel(branches ...func()) {
	in, side, out := n.channels, n.side, 0
	for _, branch := range branches {
		n.channels, n.side = in, side
		branch()
		out += n.channels
	}
	n.channels = out
}
