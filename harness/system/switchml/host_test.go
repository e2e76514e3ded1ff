package switchml

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// words is Knobs whose choices are given, and all else zero.
type words map[string]string

func (w words) Choice(path string, allowed ...string) string {
	if v, ok := w[path]; ok && slices.Contains(allowed, v) {
		return v
	}
	return allowed[0]
}

func (w words) OneOf(path string, allowed ...string) string { return w.Choice(path, allowed...) }
func (words) Int(string, int, int) int                      { return 0 }
func (words) IntOr(string, int, int, int) int               { return 0 }
func (words) Rate(string, ...string) (zero units.Rate)      { return zero }
func (words) Bool(string) bool                              { return false }
func (words) Flag(string) bool                              { return false }

func (w words) Duration(path string, _ ...string) units.Duration {
	d, _ := units.ParseDuration(w[path]) // zero where it is missing
	return d
}

func TestSwitchMLHostKnobs(t *testing.T) {
	var h Host
	h.configure((words{}))
	if h != (Host{}) {
		t.Errorf("without a word: %+v, want the zero value, which configurations leave out", h)
	}
	h.configure((words{"switchml.threads": "8", "switchml.backoff": "client", "switchml.tensors": "stream", "switchml.values": "fixed16", "switchml.scaling": "section-4.6"}))
	if want := (Host{Threads: 8, Backoff: true, Tensors: Stream, Values: "fixed16", Scaling: "section-4.6"}); h != want {
		t.Errorf("%+v, want %+v", h, want)
	}
}

// Layers keep their proportions, none is empty, and nothing is lost.
func TestLayersInProportion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []profiles.Tensor
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 5000), 1, 40).Draw(t, "params") {
			list = append(list, profiles.Tensor{Params: n})
		}
		elements := rapid.IntRange(1, 20000).Draw(t, "elements")
		sum := 0
		for _, n := range inProportion(list, elements) {
			if n < 1 {
				t.Fatalf("a tensor of %d elements", n)
			}
			sum += n
		}
		if sum != elements {
			t.Fatalf("%d of %d elements", sum, elements)
		}
	})
	if got, want := inProportion([]profiles.Tensor{{Params: 300}, {Params: 1}, {Params: 100}}, 100), []int{74, 1, 25}; !reflect.DeepEqual(got, want) {
		t.Errorf("tensors of %v elements, want %v", got, want)
	}
}
