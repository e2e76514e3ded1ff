package profiles

import "github.com/inalab/inalab/internal/units"

// Paper is one of the four papers; doc.go gives their titles.
type Paper string

// The papers, by what claims and facts call them.
const (
	Trio     Paper = "trio"
	SwitchML Paper = "switchml"
	ATP      Paper = "atp"
	XAgg     Paper = "xagg"
)

// Row is what one paper prints about a model at one link rate. A field that the
// paper does not print is zero.
type Row struct {
	Paper   Paper
	Source  string     // table or section, and what is assumed
	Link    units.Rate // of each worker; zero where the workers' links differ (40 and 100 Gbps in XAgg)
	Workers int
	GPU     string
	Dataset string
	Toolkit string // PyTorch or TensorFlow

	Size      Reading        // of the gradient, MiB
	Batch     int            // samples per worker and iteration
	BatchTime units.Duration // mean of one iteration, communication included
	BatchSD   units.Duration // its standard deviation
	Comm      int            // share of BatchTime with communication, per cent
	Overlap   Reading        // share of that communication hidden behind compute, per cent
	Tensors   Reading        // aggregations in an iteration
	Alpha     float64        // GPU speed-up that saturates 100 Gbps; a result, to compare with and never to feed in
	Assumed   Assumption     // what stands in for numbers that the paper does not print
}

// Reading is a number that may need one: what the paper prints, and what is used
// for it. The two differ where the paper contradicts itself.
type Reading struct {
	Printed   int    // zero where the paper prints none
	Used      int    // never zero where Printed is not
	Ambiguity string // id of the entry among the ambiguities that says why, or empty
}

// Assumption holds inputs of a replay that no paper prints.
type Assumption struct {
	Batch   int
	Compute units.Duration
}

// Origin says how a compute time is known.
type Origin string

// The origins. A compute time is an input of every experiment, of either origin.
const (
	Unknown Origin = ""        // the row does not give it
	Derived Origin = "derived" // from the batch time and the shares of the same row
	Assumed Origin = "assumed"
)

// Bytes returns the size of the gradient in the reading that is used.
func (r Row) Bytes() units.Bytes { return units.Bytes(r.Size.Used) * units.MiB }

// CommTime is the printed time of communication in an iteration, Comm% of
// BatchTime. It is rounded as Comm is: to half a per cent of BatchTime.
func (r Row) CommTime() units.Duration { return r.BatchTime / 100 * units.Duration(r.Comm) }

// HiddenTime is the part of CommTime during which the GPU computes.
func (r Row) HiddenTime() units.Duration { return r.CommTime() / 100 * units.Duration(r.Overlap.Used) }

// Compute returns how long a worker computes in an iteration on the row's GPU:
// what is left of the batch time without the communication that compute does not
// hide,
//
//	compute = batch time - comm time * (1 - overlap)
//
// or the assumed time, or zero and [Unknown].
func (r Row) Compute() (units.Duration, Origin) {
	switch {
	case r.Comm > 0 && r.BatchTime > 0:
		return r.BatchTime - r.CommTime() + r.HiddenTime(), Derived
	case r.Assumed.Compute > 0:
		return r.Assumed.Compute, Assumed
	}
	return 0, Unknown
}

// Buckets of the toolkits, by their published defaults. The tensors of about 60
// MB that SwitchML reports for BERT (section 6.2) agree with the first.
const (
	HorovodFusion = 64 * units.MiB // HOROVOD_FUSION_THRESHOLD
	DDPBucket     = 25 * units.MiB // bucket_cap_mb of PyTorch's DistributedDataParallel
)

// Fusion returns how much the row's toolkit gathers before it starts to send.
// The paper says that its traces have such buckets but not how large they are:
// the defaults of Horovod for TensorFlow and of PyTorch are assumed. Zero where
// no toolkit is named.
func (r Row) Fusion() units.Bytes {
	switch r.Toolkit {
	case "TensorFlow":
		return HorovodFusion
	case "PyTorch":
		return DDPBucket
	}
	return 0
}
