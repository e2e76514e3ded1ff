package train

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/train/data"
)

func TestHiddenForIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.IntRange(0, 300_000_000).Draw(t, "params")
		h := HiddenFor(want)
		off := func(hidden int) int { return max(ParamsFor(hidden)-want, want-ParamsFor(hidden)) }
		if h < 1 || h > MaxHidden {
			t.Fatalf("%d hidden units are not in 1..%d", h, MaxHidden)
		}
		if h > 1 && off(h-1) < off(h) || h < MaxHidden && off(h+1) < off(h) {
			t.Fatalf("%d hidden units are %d away, a neighbour is nearer", h, off(h))
		}
	})
}

func TestSizesOfThePapers(t *testing.T) {
	for _, c := range []struct{ mib, hidden, params int }{
		{98, 323, 256_795},   // ResNet50
		{109, 359, 285_415},  // DenseNet161
		{507, 1672, 1329250}, // VGG11
	} {
		hidden := HiddenFor(c.mib << 20 / 4 / 100)
		if hidden != c.hidden || ParamsFor(hidden) != c.params {
			t.Errorf("%d MiB at 1/100: %d hidden units, %d parameters, want %d and %d", c.mib, hidden, ParamsFor(hidden), c.hidden, c.params)
		}
	}
	if HiddenFor(98<<20/4/100) != DefaultHidden {
		t.Error("the default is not ResNet50 at 1/100")
	}
}

func TestNewFillsDefaults(t *testing.T) {
	train, _ := load(t)
	n, err := New(Config{}, few(train, 10))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Hidden: DefaultHidden, LearningRate: DefaultLearningRate, Momentum: DefaultMomentum}
	if n.cfg != want || n.Params() != ParamsFor(DefaultHidden) || len(n.params) != n.Params() {
		t.Errorf("zero configuration became %+v with %d parameters", n.cfg, n.Params())
	}
	if n, err = New(Config{Momentum: NoMomentum}, few(train, 10)); err != nil || n.cfg.Momentum != 0 {
		t.Errorf("NoMomentum became %v, %v", n.cfg.Momentum, err)
	}
}

func TestNewRefuses(t *testing.T) {
	train, _ := load(t)
	nan := float32(math.NaN())
	good := few(train, 10)
	for want, c := range map[string]struct {
		cfg     Config
		samples data.Set
	}{
		"hidden units: -1":         {Config{Hidden: -1}, good},
		"hidden units: 262145":     {Config{Hidden: MaxHidden + 1}, good},
		"learning rate: -0.1":      {Config{LearningRate: -0.1}, good},
		"learning rate: NaN":       {Config{LearningRate: nan}, good},
		"learning rate: +Inf":      {Config{LearningRate: float32(math.Inf(1))}, good},
		"momentum: 1 ":             {Config{Momentum: 1}, good},
		"momentum: -0.5":           {Config{Momentum: -0.5}, good},
		"momentum: NaN":            {Config{Momentum: nan}, good},
		"samples: the set is":      {Config{}, data.Set{}},
		"samples: 5 bytes of imag": {Config{}, data.Set{Images: make([]byte, 5), Labels: make([]uint8, 1)}},
	} {
		if _, err := New(c.cfg, c.samples); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestInitIsHeAndRepeats(t *testing.T) {
	train, _ := load(t)
	samples := few(train, 10)
	n, twin := start(t, Config{Hidden: 100}, samples, 3), start(t, Config{Hidden: 100}, samples, 3)
	if !slices.Equal(n.params, twin.params) {
		t.Fatal("two replicas start from different parameters")
	}
	v := view(n.params, 100)
	for name, part := range map[string]struct {
		weights []float32
		want    float64
	}{"W1": {v.w1, 2.0 / 784}, "W2": {v.w2, 2.0 / 100}} {
		sum := 0.0
		for _, w := range part.weights {
			sum += float64(w) * float64(w)
		}
		if got := sum / float64(len(part.weights)); math.Abs(got-part.want) > 0.15*part.want {
			t.Errorf("variance of %s is %v, want %v", name, got, part.want)
		}
	}
	grad := make([]float32, n.Params())
	n.Gradient(grad, []int{1, 2, 3})
	n.Apply(grad)
	n.Init(rng.Root(3).Stream(InitStream))
	n.Apply(make([]float32, n.Params())) // would move along a velocity that was kept
	if !slices.Equal(n.params, twin.params) {
		t.Error("a second Init kept biases or velocity")
	}
}

// TestApplyByHand follows two steps of one parameter on paper.
func TestApplyByHand(t *testing.T) {
	train, _ := load(t)
	n, err := New(Config{Hidden: 1, LearningRate: 0.5, Momentum: 0.25}, few(train, 10))
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float32, n.Params())
	grad[4] = 2
	n.Apply(grad) // v = 2, p = -1
	if got := n.params[4]; got != -1 {
		t.Fatalf("first step to %v, want -1", got)
	}
	grad[4] = 1
	n.Apply(grad) // v = 0.25*2+1 = 1.5, p = -1-0.75
	if got := n.params[4]; got != -1.75 {
		t.Fatalf("second step to %v, want -1.75", got)
	}
	if n.params[3] != 0 || n.params[5] != 0 {
		t.Error("a step moved parameters that had no gradient")
	}
}

func TestWrongLengthPanics(t *testing.T) {
	train, _ := load(t)
	n := start(t, Config{Hidden: 1}, few(train, 10), 1)
	for name, call := range map[string]func([]float32){
		"Apply":    n.Apply,
		"Gradient": func(g []float32) { n.Gradient(g, []int{0}) },
	} {
		for _, length := range []int{0, n.Params() - 1, n.Params() + 1} {
			t.Run(name, func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Errorf("took %d elements for %d parameters", length, n.Params())
					}
				}()
				call(make([]float32, length))
			})
		}
	}
}

// A replica that is given the state of another goes on as that one does, velocity included.
func TestStateIsAllThatUpdatesChange(t *testing.T) {
	train, _ := load(t)
	j := newJob(t, Config{Hidden: 5}, few(train, 40), 2, 1)
	for range 3 {
		j.iterate()
	}
	late := start(t, Config{Hidden: 5}, few(train, 40), 2) // other weights
	state := j.replicas[0].State()
	late.SetState(state)
	j.replicas = append(j.replicas, late)
	j.batches = append(j.batches, j.batches[1])
	for range 3 {
		j.iterate()
	}
	if got, want := late.State(), j.replicas[0].State(); !slices.Equal(got, want) || slices.Equal(got, state) {
		t.Error("the states differ, or nothing changes them")
	}
	if len(state) != late.StateLen() || late.StateLen() != 2*late.Params() {
		t.Errorf("a state of %d values, of length %d, for %d parameters", len(state), late.StateLen(), late.Params())
	}
}

func TestSetStateRefusesAnotherSize(t *testing.T) {
	train, _ := load(t)
	defer func() {
		if recover() == nil {
			t.Error("a state of another size was taken")
		}
	}()
	start(t, Config{Hidden: 5}, few(train, 10), 1).SetState(make([]float32, 3))
}
