package manager

import (
	"errors"
	"testing"
)

// A sketch is the tree of Plan where that fits, and goes on beyond.
func TestSketch(t *testing.T) {
	for k := 2; k <= 7; k++ {
		for _, w := range []int{2, 7, 12} {
			r := Request{PS: "ps", Workers: workers(w), Servers: servers(19), Model: gib, K: k}
			tree, err := Sketch(r)
			if err != nil {
				t.Fatal(err)
			}
			if planned, err := Plan(r); err != nil || planned.String() != tree.String() {
				t.Errorf("k = %d, %d workers: %v, and planned is %v (%v)", k, w, tree, planned, err)
			}
		}
	}
	r := Request{PS: "ps", Workers: workers(200), Servers: servers(80), Model: gib, K: 5}
	tree, err := Sketch(r)
	if err != nil || tree.Height() != Height(5, 200) || len(tree.Workers()) != 200 {
		t.Fatalf("%v, %v", tree, err)
	}
	if _, err := Plan(r); !errors.Is(err, ErrManyHosts) {
		t.Errorf("200 workers are planned (%v)", err)
	}
	r.Servers = servers(3)
	if _, err := Sketch(r); !errors.Is(err, ErrFewServers) {
		t.Errorf("3 servers are enough for 200 workers (%v)", err)
	}
	r.K = 0
	if _, err := Sketch(r); err == nil {
		t.Error("a sketch without k")
	}
}
