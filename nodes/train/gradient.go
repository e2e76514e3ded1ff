package train

import (
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/train/data"
)

// Gradient overwrites grad with the mean gradient of the loss over a
// mini-batch, given as indexes into the samples, and returns the mean loss in
// nats. Image order counts: another order of batch may round otherwise. An
// empty batch has gradient and loss zero. It panics when grad is not of length
// [Network.Params] or an index is not one of the samples.
func (n *Network) Gradient(grad []float32, batch []int) float64 {
	n.checkLength("write", grad)
	clear(grad)
	if len(batch) == 0 {
		return 0
	}
	n.forward(n.samples, batch)
	loss := n.lossGradient(batch)
	g := view(grad, n.cfg.Hidden)
	n.backwardOutput(g, len(batch))
	n.backwardHidden(g, batch)
	return loss
}

// Accuracy returns the share of the images of test, 0 to 1, that the network
// puts in the right class; 0 when there are none.
func (n *Network) Accuracy(test data.Set) float64 {
	const chunk = 32 // images at a time: their hidden units stay in the cache
	right := 0
	var batch []int
	for first := 0; first < test.Len(); first += chunk {
		batch = batch[:0]
		for i := first; i < min(first+chunk, test.Len()); i++ {
			batch = append(batch, i)
		}
		n.forward(test, batch)
		for b, i := range batch {
			if n.logits[b].argMax() == int(test.Labels[i]) {
				right++
			}
		}
	}
	return float64(right) / float64(max(test.Len(), 1))
}

// forward leaves activations in n.hidden and scores in n.logits. It goes
// through the pixels in the outer loop, so that a row of W1 is read from memory
// once for the whole mini-batch; the sum of each hidden unit is over the pixels
// in order either way.
func (n *Network) forward(set data.Set, batch []int) {
	n.grow(len(batch))
	width, v := n.cfg.Hidden, view(n.params, n.cfg.Hidden)
	n.input.bias(n.row(0), v)
	for b := range batch[1:] {
		copy(n.row(b+1), n.row(0))
	}
	for pixel := range data.Pixels {
		weights := v.w1[pixel*width:][:width]
		for b, i := range batch {
			if level := set.Images[i*data.Pixels+pixel]; level != 0 {
				vec.Axpy(n.row(b), n.input.light[level], weights)
			}
		}
	}
	for b := range batch {
		n.logits[b] = outputs(n.row(b), v)
	}
}

// outputs applies ReLU to the hidden units of one image, in place, and returns
// its logits.
func outputs(hidden []float32, v layers) (logits classVector) {
	copy(logits[:], v.b2)
	for j, h := range hidden {
		if !(h > 0) {
			hidden[j] = 0
			continue
		}
		for k, w := range v.w2[j*data.Classes:][:data.Classes] {
			logits[k] += float32(h * w)
		}
	}
	return logits
}

// lossGradient turns the logits of a mini-batch into the gradient of its mean
// loss, and returns that loss.
func (n *Network) lossGradient(batch []int) float64 {
	sum, share := 0.0, 1/float64(len(batch))
	for b, i := range batch {
		sum += n.logits[b].crossEntropy(int(n.samples.Labels[i]), share)
	}
	return float64(sum * share)
}

// backwardOutput adds the gradient of the output layer to g and replaces the
// activations in n.hidden by their gradient.
func (n *Network) backwardOutput(g layers, batch int) {
	weights := view(n.params, n.cfg.Hidden).w2
	for b := range batch {
		delta := &n.logits[b]
		for k, d := range delta {
			g.b2[k] += d
		}
		for j, h := range n.row(b) {
			if h == 0 {
				continue // the ReLU lets nothing through
			}
			at := j * data.Classes
			n.row(b)[j] = delta.backThrough(h, weights[at:][:data.Classes], g.w2[at:][:data.Classes])
		}
	}
}

// backwardHidden adds the gradient of the hidden layer to g.
func (n *Network) backwardHidden(g layers, batch []int) {
	width := n.cfg.Hidden
	for b := range batch {
		vec.Axpy(g.b1, 1, n.row(b))
	}
	for pixel := range data.Pixels {
		into := g.w1[pixel*width:][:width]
		vec.Axpy(into, -n.input.mean[pixel], g.b1)
		for b, i := range batch {
			if level := n.samples.Images[i*data.Pixels+pixel]; level != 0 {
				vec.Axpy(into, n.input.light[level], n.row(b))
			}
		}
	}
}

// grow makes room for a mini-batch of that many images.
func (n *Network) grow(batch int) {
	if batch > len(n.logits) {
		n.logits = make([]classVector, batch)
		n.hidden = make([]float32, batch*n.cfg.Hidden)
	}
}

// row returns the hidden units of image b of the mini-batch.
func (n *Network) row(b int) []float32 {
	return n.hidden[b*n.cfg.Hidden:][:n.cfg.Hidden]
}
