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

// Profile is one network of the papers. SizeMiB, Batch and Compute are those of
// the row that is marked for replay, the first paper's that gives them; what the
// other papers say is in Measured.
type Profile struct {
	Name        string         // lower case, hyphens for spaces; unique
	Task        string         // what it is trained for
	SizeMiB     int            // of the gradient, in the reading that is used
	Params      int            // float32 parameters, by the model's publisher; from the size where nobody published them
	Batch       int            // samples per worker and iteration
	Compute     units.Duration // forward, backward and update of one iteration on the row's GPU, never zero
	ComputeFrom Origin         // how Compute is known
	Source      string         // where each of these numbers comes from

	// Bytes is the size of a gradient that is no network's, in place of SizeMiB: its values are made
	// up, and nothing is trained. Zero for every profile of a paper.
	Bytes units.Bytes

	Architecture string // the layer list of [Profile.Tensors]; empty where none is public
	Measured     []Row  // what the papers print, in the order of the papers and their tables
}

// Size returns the bytes that one iteration aggregates.
func (p Profile) Size() units.Bytes {
	if p.Bytes > 0 {
		return p.Bytes
	}
	return units.Bytes(p.SizeMiB) * units.MiB
}

// Row returns what a paper prints for a link rate. A rate of zero asks for the
// paper's first row.
func (p Profile) Row(paper Paper, link units.Rate) (Row, bool) {
	for _, r := range p.Measured {
		if r.Paper == paper && (link == 0 || r.Link == link) {
			return r, true
		}
	}
	return Row{}, false
}

// All returns every profile: the models of Trio, SwitchML, ATP and XAgg, each
// where it first comes, in the order of the papers' tables and text. The caller
// owns the result.
func All() []Profile {
	out := slices.Clone(all)
	for i := range out {
		out[i].Measured = slices.Clone(out[i].Measured)
	}
	return out
}

// Lookup returns the profile of that name. The error of an unknown name wraps
// [ErrUnknown], lists the allowed names, and suggests one that is near.
func Lookup(name string) (Profile, error) {
	names := make([]string, len(all))
	for i, p := range All() {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return Profile{}, fmt.Errorf("%w %q: allowed are %s%s", ErrUnknown, name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
}
