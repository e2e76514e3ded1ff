package train

import (
	"math"

	"github.com/inalab/inalab/nodes/train/data"
)

// oracle computes the mean loss of a mini-batch in float64 straight from the
// definition: every pixel, every weight, nothing skipped or reordered.
func oracle(params []float64, hidden int, samples data.Set, batch []int) float64 {
	sum := 0.0
	for _, image := range batch {
		logits := oracleLogits(params, hidden, samples, image)
		norm := 0.0
		for _, l := range logits {
			norm += math.Exp(l)
		}
		sum += math.Log(norm) - logits[samples.Labels[image]]
	}
	return sum / float64(len(batch))
}

func oracleLogits(params []float64, hidden int, samples data.Set, image int) []float64 {
	b1 := 784 * hidden
	w2, b2 := b1+hidden, b1+hidden+10*hidden
	logits := append([]float64(nil), params[b2:b2+10]...)
	for j := range hidden {
		h := params[b1+j]
		for i := range 784 {
			h += oracleInput(samples, image, i) * params[i*hidden+j]
		}
		for k := range logits {
			logits[k] += math.Max(h, 0) * params[w2+10*j+k]
		}
	}
	return logits
}

// oracleInput is the centred and scaled grey level of one pixel.
func oracleInput(samples data.Set, image, pixel int) float64 {
	mean := 0.0
	for i := range samples.Len() {
		mean += float64(samples.Images[i*784+pixel])
	}
	return (float64(samples.Images[image*784+pixel]) - mean/float64(samples.Len())) / 90
}

// oracleSlope is the derivative of the oracle by one parameter, as a central
// difference.
func oracleSlope(params []float64, at, hidden int, samples data.Set, batch []int) float64 {
	const step = 1e-5
	was := params[at]
	params[at] = was + step
	up := oracle(params, hidden, samples, batch)
	params[at] = was - step
	down := oracle(params, hidden, samples, batch)
	params[at] = was
	return (up - down) / (2 * step)
}

// few returns n images of the embedded training set, every so many.
func few(train data.Set, n int) data.Set {
	var s data.Set
	for i := range n {
		from := i * train.Len() / n
		s.Images = append(s.Images, train.Image(from)...)
		s.Labels = append(s.Labels, train.Labels[from])
	}
	return s
}
