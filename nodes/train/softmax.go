package train

import "github.com/inalab/inalab/nodes/train/data"

// crossEntropy replaces logits by share times the gradient of the softmax
// cross-entropy to the given class, and returns the cross-entropy in nats.
func (c *classVector) crossEntropy(label int, share float64) float64 {
	highest := float64(c[c.argMax()])
	var raised [data.Classes]float64 // exp(logit), over that of the highest
	sum := 0.0
	for k, logit := range c {
		raised[k] = exp(float64(logit) - highest)
		sum += raised[k]
	}
	loss := log(sum) - (float64(c[label]) - highest)
	for k, e := range raised {
		p := e / sum
		if k == label {
			p--
		}
		c[k] = float32(p * share)
	}
	return loss
}

// backThrough carries the gradient c of the logits of one image back through
// one hidden unit: it adds the gradient of the unit's weights to g, and returns
// the gradient of its activation.
func (c *classVector) backThrough(activation float32, weights, g []float32) float32 {
	sum := float32(0)
	for k, d := range c {
		sum += float32(d * weights[k])
		g[k] += float32(d * activation)
	}
	return sum
}

// argMax returns the class with the highest number, the first of equals.
func (c *classVector) argMax() int {
	best := 0
	for k, x := range c {
		if x > c[best] {
			best = k
		}
	}
	return best
}
