package profiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
)

// ErrUnknown is what [Lookup] wraps when no profile has the name.
var ErrUnknown = errors.New("unknown profile")

// Profile is one network of the papers.
type Profile struct {
	Name    string         // lower case, as torchvision names the model
	SizeMiB int            // of the gradient, as the paper prints it
	Params  int            // float32 parameters, by the model's publisher
	Batch   int            // images per worker and iteration
	Compute units.Duration // nominal forward, backward and update of one iteration on the paper's worker
	Source  string         // where each of these numbers comes from
}

// Size returns the bytes that one iteration aggregates.
func (p Profile) Size() units.Bytes { return units.Bytes(p.SizeMiB) * units.MiB }

// workerText is what all assumed compute times are for.
const workerText = "compute time assumed, for one NVIDIA A100 (section 6.1) with PyTorch and its ImageNet input pipeline, since no paper prints one: "

var all = []Profile{
	{
		Name: "resnet50", SizeMiB: 98, Params: 25557032, Batch: 64, Compute: 150 * units.Millisecond,
		Source: "Trio Table 1 (size, batch); torchvision 0.15 model list (parameters); " + workerText +
			"about 430 images/s, near half of the 19.5 TFLOP/s peak in 32-bit precision at 4.1 GMAC per image and pass, three passes",
	},
	{
		Name: "vgg11", SizeMiB: 507, Params: 132863336, Batch: 128, Compute: 240 * units.Millisecond,
		Source: "Trio Table 1 (size, batch); torchvision 0.15 model list (parameters); " + workerText +
			"about 530 images/s; at 7.6 GMAC per image and pass, three passes, that is more than the 19.5 TFLOP/s of plain " +
			"32-bit arithmetic and presumes TF32 convolutions, which PyTorch turns on by default",
	},
	{
		Name: "densenet161", SizeMiB: 109, Params: 28681000, Batch: 64, Compute: 260 * units.Millisecond,
		Source: "Trio Table 1 (size, batch); torchvision 0.15 model list (parameters); " + workerText +
			"about 250 images/s, near 60% of the 19.5 TFLOP/s peak in 32-bit precision at 7.7 GMAC per image and pass, three passes",
	},
}

// All returns every profile, in the order of the paper's table.
func All() []Profile { return slices.Clone(all) }

// Lookup returns the profile of that name. The error of an unknown name wraps
// [ErrUnknown], lists the allowed names, and suggests one that is near.
func Lookup(name string) (Profile, error) {
	names := make([]string, len(all))
	for i, p := range all {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return Profile{}, fmt.Errorf("%w %q: allowed are %s%s", ErrUnknown, name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
}
