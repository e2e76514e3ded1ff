package aggtree

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/nodes/xagg/manager"
)

// The paper's testbed, and what becomes of it with other numbers of workers.
func TestTrees(t *testing.T) {
	tests := []struct {
		kind       Kind
		workers, k int
		want       string
		height     int
	}{
		{Testbed, 7, 0, "ps(w7 s1(w1 w2 w3) s2(w4 w5 w6))", 3},
		{Testbed, 9, 0, "ps(w7 w8 w9 s1(w1 w2 w3) s2(w4 w5 w6))", 3},
		{Testbed, 4, 0, "ps(s1(w1 w2 w3) s2(w4))", 3},
		{Testbed, 2, 0, "ps(s1(w1 w2))", 3},
		{KAry, 7, 3, "ps(w7 s1(w1 w2 w3) s2(w4 w5 w6))", 3},
		{KAry, 3, 3, "ps(w1 w2 w3)", 2},
		{KAry, 1, 3, "ps(w1)", 2},
		{KAry, 4, 2, "ps(s1(w1 w2) s2(w3 w4))", 3},
		{KAry, 8, 2, "ps(s5(s1(w1 w2) s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))", 4},
		{Star, 5, 0, "ps(w1 w2 w3 w4 w5)", 2},
	}
	for _, test := range tests {
		tree, err := Choose(test.kind, test.workers, Servers(test.kind, test.workers, test.k), test.k)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := tree.String(); got != test.want || tree.Height() != test.height {
			t.Errorf("%s of %d workers, k = %d: %s of height %d, want %s of height %d", test.kind, test.workers, test.k, got, tree.Height(), test.want, test.height)
		}
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		kind                Kind
		workers, servers, k int
		want                string
	}{
		{"karry", 4, 4, 3, `kind "karry": allowed are kary, testbed, star; did you mean "kary"?`},
		{KAry, 4, 4, 1, "k = 1 children: 2 to 31 are possible"},
		{KAry, 40, 40, 5, "host ids have 32 bits"},
		{Star, 0, 1, 3, "0 workers"},
		{KAry, 7, 2, 3, `"kary" over 7 workers takes 3 hosts for servers, the PS included, but there are 2: add hosts, or choose "star", which takes 1`},
	}
	for _, test := range tests {
		if _, err := Choose(test.kind, test.workers, test.servers, test.k); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q in it", err, test.want)
		}
	}
	if n := Servers("karry", 4, 3); n != 1 {
		t.Errorf("a kind that is refused takes %d hosts", n)
	}
}

// Whatever the numbers: every worker reaches the PS, no node of kary has more than k children, and
// servers that are not needed come before the PS and change nothing.
func TestAnyTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{KAry, Testbed, Star}).Draw(t, "kind")
		workers, k := rapid.IntRange(1, 16).Draw(t, "workers"), rapid.IntRange(LeastK, 6).Draw(t, "k")
		need, idle := Servers(kind, workers, k), rapid.IntRange(0, 3).Draw(t, "idle")
		tree, err := Choose(kind, workers, need+idle, k)
		if err != nil {
			t.Fatal(err)
		}
		least, _ := Choose(kind, workers, need, k)
		if tree.String() != least.String() || tree.PS() != workers+need+idle-1 || tree.Workers != workers {
			t.Errorf("%v with PS at %d, without idle servers %v", tree, tree.PS(), least)
		}
		for h := range tree.Parents {
			children := tree.Children(h)
			worker, unused := h < workers, h >= workers+need-1 && h != tree.PS()
			if unused != tree.Idle(h) || (worker || unused) != (len(children) == 0) {
				t.Errorf("host %d of %v: idle %t, children %v", h, tree, tree.Idle(h), children)
			}
			if kind == KAry && (len(children) > k || len(children) == 1 && workers > 1) {
				t.Errorf("host %d of %v, k = %d: children %v", h, tree, k, children)
			}
			if !slices.IsSorted(children) {
				t.Errorf("children %v", children)
			}
		}
		if kind == KAry && workers > 1 && tree.Height() != manager.Height(k, workers) {
			t.Errorf("%v, k = %d: height %d, want %d", tree, k, tree.Height(), manager.Height(k, workers))
		}
	})
}
