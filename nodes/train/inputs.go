package train

import (
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/train/data"
)

// greyPerUnit is how many grey levels make one unit of input: the standard
// deviation over all pixels of Fashion-MNIST, 0.353 of 255, which the usual
// normalisation of that set divides by as well.
const greyPerUnit = 90

// inputs turns grey levels into what the first layer sees. Each pixel is
// centred on its mean over the samples: without that the mean image dominates
// every gradient, and 40 iterations reach 0.73 instead of 0.79 test accuracy.
// The mean enters the sums once per mini-batch and not once per image, so that
// black pixels still cost nothing.
type inputs struct {
	light [256]float32         // of each grey level, before centring; black is 0
	mean  [data.Pixels]float32 // of light, for each pixel
}

func inputsOf(samples data.Set) (in inputs) {
	for level := range in.light {
		in.light[level] = float32(level) / greyPerUnit
	}
	var sums [data.Pixels]int
	for i := range samples.Len() {
		for pixel, level := range samples.Image(i) {
			sums[pixel] += int(level)
		}
	}
	for pixel, sum := range sums {
		in.mean[pixel] = float32(float64(sum)/float64(samples.Len())) / greyPerUnit
	}
	return in
}

// bias sets dst to what the hidden units get for an image without light: their
// biases, less the mean image through the weights.
func (in *inputs) bias(dst []float32, v layers) {
	copy(dst, v.b1)
	for pixel, m := range in.mean {
		vec.Axpy(dst, -m, v.w1[pixel*len(dst):][:len(dst)])
	}
}
