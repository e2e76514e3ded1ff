package rng

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// These values are part of every recorded result: a change of them changes what
// a seed means, and needs a note in the release. The first five were checked
// against a second implementation of SHA-256 seeding and PCG-DXSM.
func TestGolden(t *testing.T) {
	s := Root(1).Stream("link/h0-tor/loss")
	want := []uint64{0x60e0a54492964bac, 0x35a65e02312b89ee, 0x82626c1c92c36318, 0x17bf15c5aea3ba5f}
	for i, w := range want {
		if got := s.Uint64(); got != w {
			t.Errorf("number %d is %#x, want %#x", i, got, w)
		}
	}
	s = Root(42).Stream("")
	if got, want := s.Float64(), 0.21437215259423603; got != want {
		t.Errorf("float %v, want %v", got, want)
	}
	if got, want := s.Normal(), 0.6821388938479889; got != want {
		t.Errorf("normal %v, want %v", got, want)
	}
	if got, want := s.Perm(8), []int{1, 6, 4, 2, 3, 7, 5, 0}; !slices.Equal(got, want) {
		t.Errorf("permutation %v, want %v", got, want)
	}
}

func take(s *Stream, n int) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = s.Uint64()
	}
	return v
}

func TestSameNameSameSequence(t *testing.T) {
	a, b := Root(7).Stream("worker/3"), Root(7).Stream("worker/3")
	if !slices.Equal(take(a, 100), take(b, 100)) {
		t.Error("two streams of one name differ")
	}
}

// Streams of different names or roots have no number in common, not even
// shifted against each other.
func TestNamesAreIndependent(t *testing.T) {
	const each = 1000
	seen := map[uint64]string{}
	for _, s := range []struct {
		root Root
		name string
	}{
		{1, "link/a"}, {1, "link/b"}, {1, "link/a/"}, {1, ""}, {2, "link/a"}, {1 << 63, "link/a"},
	} {
		for _, v := range take(s.root.Stream(s.name), each) {
			if other, dup := seen[v]; dup {
				t.Fatalf("%#x is in %q (root %d) and in %s", v, s.name, s.root, other)
			}
			seen[v] = s.name
		}
	}
}

// The root's bytes and the name are joined without a separator, but the root
// has a fixed length, so no pair can be taken for another.
func TestRootIsNotPartOfName(t *testing.T) {
	a := Root(0x6161616161616161).Stream("b")
	b := Root(0x6161616161616162).Stream("")
	if slices.Equal(take(a, 4), take(b, 4)) {
		t.Error("root and name run into each other")
	}
}

// Correlation of two streams over n pairs is about normal with deviation 1/sqrt(n).
func TestStreamsDoNotCorrelate(t *testing.T) {
	const n = 20000
	a, b := Root(1).Stream("x"), Root(1).Stream("y")
	sum := 0.0
	for range n {
		sum += (a.Float64() - 0.5) * (b.Float64() - 0.5) * 12
	}
	if r := sum / n; math.Abs(r) > 4/math.Sqrt(n) {
		t.Errorf("correlation %v", r)
	}
}

// Chi-square over 64 bins has mean 63 and deviation sqrt(126).
func TestUniformity(t *testing.T) {
	const bins, n = 64, 64 * 1000
	draws := map[string]func(*Stream) int{
		"Float64": func(s *Stream) int { return int(s.Float64() * bins) },
		"IntN":    func(s *Stream) int { return s.IntN(bins) },
		"Uniform": func(s *Stream) int { return int(s.Uniform(-32, 32) + 32) },
		"low":     func(s *Stream) int { return int(s.Uint64() % bins) },
	}
	for name, draw := range draws {
		s := Root(3).Stream(name)
		var count [bins]float64
		for range n {
			count[draw(s)]++
		}
		chi := 0.0
		for _, c := range count {
			chi += (c - n/bins) * (c - n/bins) / (n / bins)
		}
		if math.Abs(chi-(bins-1)) > 4*math.Sqrt(2*(bins-1)) {
			t.Errorf("%s: chi-square %v over %d bins", name, chi, bins)
		}
	}
}

func TestNormalMoments(t *testing.T) {
	const n = 20000
	s := Root(5).Stream("normal")
	sum, squares := 0.0, 0.0
	for range n {
		v := s.Normal()
		sum += v
		squares += v * v
	}
	if mean := sum / n; math.Abs(mean) > 4/math.Sqrt(n) {
		t.Errorf("mean %v", mean)
	}
	if variance := squares / n; math.Abs(variance-1) > 4*math.Sqrt(2.0/n) {
		t.Errorf("variance %v", variance)
	}
}

func TestBernoulliEnds(t *testing.T) {
	s := Root(1).Stream("bernoulli")
	for range 1000 {
		if s.Bernoulli(0) {
			t.Fatal("true with probability 0")
		}
		if !s.Bernoulli(1) {
			t.Fatal("false with probability 1")
		}
	}
}

func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Root(rapid.Uint64().Draw(t, "root")).Stream("range")
		n := rapid.IntRange(1, math.MaxInt).Draw(t, "n")
		if v := s.IntN(n); v < 0 || v >= n {
			t.Fatalf("IntN(%d) = %d", n, v)
		}
		lo := rapid.Float64Range(-1e9, 1e9).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1e-3, 1e9).Draw(t, "span")
		if v := s.Uniform(lo, hi); !(v >= lo && v < hi) {
			t.Fatalf("Uniform(%v, %v) = %v", lo, hi, v)
		}
		p := s.Perm(n % 50)
		slices.Sort(p)
		for i, v := range p {
			if v != i {
				t.Fatalf("not a permutation: %v", p)
			}
		}
	})
}

// The largest fraction below one must not be rounded up to the end of a range.
func TestBetweenExcludesEnd(t *testing.T) {
	const last = 1 - 1.0/(1<<53)
	for _, r := range [][2]float64{{0, 1}, {1, 2}, {-1, 0}, {1e16, 1e16 + 4}, {0, 3}} {
		if v := interpolate(r[0], r[1], last); !(v >= r[0] && v < r[1]) {
			t.Errorf("between(%v, %v) = %v", r[0], r[1], v)
		}
	}
}

func TestIntNPanicsOnEmptyRange(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Root(1).Stream("").IntN(0)
}
