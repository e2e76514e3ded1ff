package manager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

const (
	g   = units.GbitPerSecond
	gib = units.Bytes(1 << 30)
)

// workers returns w workers, each slower than the next.
func workers(w int) (list []Worker) {
	for i := range w {
		list = append(list, Worker{Name: fmt.Sprintf("w%d", i+1), Training: units.Duration(w-i) * units.Second, Transfer: units.Second})
	}
	return list
}

// servers returns n servers with 100 Gbit/s each.
func servers(n int) (list []Server) {
	for i := range n {
		list = append(list, Server{Name: fmt.Sprintf("s%d", i+1), Bandwidth: 100 * g, Cores: 100 - i, Memory: 128 * gib})
	}
	return list
}

// The paper's testbed: W1 to W3 have the slower GPUs and 40 Gbit/s, the others 100 (XAgg §VI-C, Fig 12).
func TestFig12(t *testing.T) {
	r := Request{PS: "ps", Model: 97 << 20}
	for i := 1; i <= 7; i++ {
		w := Worker{Name: fmt.Sprintf("w%d", i), Training: 300 * units.Millisecond, Transfer: 8 * units.Millisecond}
		if i <= 3 {
			w.Training, w.Transfer = 400*units.Millisecond, 20*units.Millisecond
		}
		r.Workers = append(r.Workers, w)
	}
	slices.Reverse(r.Workers)
	r.Servers = []Server{
		{Name: "s2", Bandwidth: 100 * g, Cores: 44, Memory: 128 * gib, Used: 8 * gib},
		{Name: "s1", Bandwidth: 100 * g, Cores: 44, Memory: 128 * gib, Used: 4 * gib},
	}
	tree, err := Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tree.String(), "ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)"; got != want || tree.K() != 3 || tree.Height() != Height(3, 7) {
		t.Errorf("%v with k = %d, height %d; want %v with k = 3", got, tree.K(), tree.Height(), want)
	}
}

// Equation (2): k^(h-2) < w <= k^(h-1). Trees of equal servers have that height, and few nodes.
func TestEquation2(t *testing.T) {
	pow := func(k, n int) int {
		p := 1
		for range n {
			p *= k
		}
		return p
	}
	for k := 2; k <= 7; k++ {
		for w := 2; w <= 32; w++ {
			h := Height(k, w)
			if pow(k, h-2) >= w || w > pow(k, h-1) {
				t.Errorf("k = %d, w = %d: height %d", k, w, h)
			}
			r := Request{PS: "ps", Workers: workers(w), Servers: servers(31), Model: gib, K: k}
			tree, left := r.build(r.Servers, k)
			if left > k || tree.Height() != h {
				t.Errorf("k = %d, w = %d: %v has height %d, want %d", k, w, tree, tree.Height(), h)
			}
			check(t, tree, workers(w))
		}
	}
}

// round(B_i/b), halves down: ceil(B_i/b - 1/2) (XAgg §V).
func TestChildren(t *testing.T) {
	for _, c := range []struct{ own, first, k, want int }{
		{100, 100, 3, 3}, {200, 100, 3, 3}, {50, 100, 3, 1}, {51, 100, 3, 2}, {25, 100, 4, 1}, {10, 100, 5, 0},
		{11, 100, 5, 1}, {30, 100, 5, 1}, {31, 100, 5, 2}, {0, 100, 2, 0}, {75, 100, 2, 1}, {76, 100, 2, 2},
	} {
		if got := Children(units.Rate(c.own)*g, units.Rate(c.first)*g, c.k); got != c.want {
			t.Errorf("%d of %d Gbit/s, k = %d: %d children, want %d", c.own, c.first, c.k, got, c.want)
		}
	}
}

// Only what the paper allows is a candidate, in its order.
func TestCandidates(t *testing.T) {
	all := []Server{
		{Name: "busy", Bandwidth: 10 * g, Cores: 44, Memory: 100 * gib, Used: 79*gib + 1},
		{Name: "few cores", Bandwidth: 100*g + 1, Cores: 10, Memory: 100 * gib},
		{Name: "no link", Cores: 10, Memory: 100 * gib},
		{Name: "b", Bandwidth: 100 * g, Cores: 10, Memory: 100 * gib, Used: 79 * gib},
		{Name: "a", Bandwidth: 100 * g, Cores: 10, Memory: 100 * gib, Used: 79 * gib},
		{Name: "more memory", Bandwidth: 100 * g, Cores: 10, Memory: 100 * gib},
		{Name: "more cores", Bandwidth: 100 * g, Cores: 11, Memory: 50 * gib},
		{Name: "40G", Bandwidth: 40 * g, Cores: 44, Memory: 200 * gib},
	}
	fit, why := Candidates(all, gib)
	var names []string
	for _, s := range fit {
		names = append(names, s.Name)
	}
	if want := []string{"more cores", "more memory", "a", "b", "40G"}; !slices.Equal(names, want) {
		t.Errorf("candidates %q, want %q", names, want)
	}
	text := errors.Join(why...).Error()
	for _, want := range []string{`"busy" uses`, `"few cores" has`, `"no link" has no`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}

func TestSkip(t *testing.T) {
	at := func(train, transfer units.Duration) []Worker { return []Worker{{Training: train, Transfer: transfer}} }
	if !Skip(at(91, 10)) || Skip(at(90, 10)) || Skip(append(at(91, 10), at(0, 5)...)) {
		t.Error("models are skipped below 10% of communication, and from there on not")
	}
}

func TestPlanRefuses(t *testing.T) {
	busy := []Server{{Name: "s1", Bandwidth: g, Cores: 1, Memory: gib, Used: gib}}
	for _, c := range []struct {
		r    Request
		is   error
		want string
	}{
		{Request{PS: "ps", Workers: workers(7), Servers: busy, Model: gib}, ErrNoServer, `server "s1" uses 1GiB of 1GiB`},
		{Request{PS: "ps", Workers: workers(7), Servers: servers(2), Model: gib, K: 2}, ErrFewServers, "k = 2 leaves 5 nodes for the PS, with 2 servers"},
		{Request{PS: "ps", Workers: workers(32), Servers: servers(8), Model: gib}, ErrManyHosts, "are 33 hosts"},
		{Request{PS: "ps", Workers: workers(28), Servers: servers(31), Model: gib, K: 4}, ErrManyHosts, "a larger k"},
		{Request{PS: "ps", Workers: workers(1), Servers: servers(1), Model: gib, K: 1}, nil, "k = 1 children"},
		{Request{PS: "w1", Workers: workers(2), Servers: servers(1)}, nil, `host "w1" is named twice`},
	} {
		tree, err := Plan(c.r)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("tree %v, error %v, want %q", tree, err, c.want)
		}
	}
}

// Where servers are too few for k = 5, the PS takes what is left.
func TestFewServers(t *testing.T) {
	tree, err := Plan(Request{PS: "ps", Workers: workers(20), Servers: servers(2), Model: gib})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tree.Children("ps")); n != 12 || len(tree.Servers()) != 2 || !strings.Contains(tree.Note(), "the PS has 12 children") {
		t.Errorf("%v: %s", tree, tree.Note())
	}
	// 18 workers, k = 4: five servers do if the last two workers of the first layer wait.
	tree, err = Plan(Request{PS: "ps", Workers: workers(18), Servers: servers(5), Model: gib, K: 4})
	if err != nil || len(tree.Children("ps")) > 4 {
		t.Errorf("%v, %v", tree, err)
	}
}

// check holds a tree to what every tree is.
func check(t interface{ Errorf(string, ...any) }, tree *Tree, of []Worker) {
	for i := range tree.nodes {
		n := &tree.nodes[i]
		if n.role == ServerRole && len(n.children) < 2 {
			t.Errorf("%v: %s has %d children", tree, n.name, len(n.children))
		}
	}
	seen := map[string]int{}
	visit(tree, tree.PS(), seen)
	if len(seen) != len(tree.nodes) {
		t.Errorf("%v reaches %d of %d nodes", tree, len(seen), len(tree.nodes))
	}
	for i := range of {
		if name := of[i].Name; seen[name] != 1 || len(tree.Children(name)) != 0 {
			t.Errorf("%v: worker %s has %d paths to the PS", tree, name, seen[name])
		}
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%v has %s %d times", tree, name, n)
		}
	}
}

func visit(tree *Tree, name string, seen map[string]int) {
	seen[name]++
	for _, c := range tree.Children(name) {
		if tree.Parent(c) != name {
			seen[c]++
		}
		visit(tree, c, seen)
	}
}

// drawRequest draws workers and servers of many kinds.
func drawRequest(t *rapid.T) Request {
	r := Request{PS: "ps", Model: gib, K: rapid.SampledFrom([]int{0, 0, 2, 3, 4, 5, 7}).Draw(t, "k")}
	for i := range rapid.IntRange(2, 24).Draw(t, "workers") {
		r.Workers = append(r.Workers, Worker{Name: fmt.Sprintf("w%d", i), Training: units.Duration(rapid.IntRange(0, 5).Draw(t, "t1")), Transfer: 1})
	}
	r.Servers = drawServers(t)
	return r
}

func drawServers(t *rapid.T) (list []Server) {
	for i := range rapid.IntRange(1, 12).Draw(t, "servers") {
		list = append(list, Server{
			Name: fmt.Sprintf("s%d", i), Bandwidth: units.Rate(rapid.IntRange(1, 10).Draw(t, "bandwidth")) * 10 * g,
			Cores: rapid.IntRange(4, 12).Draw(t, "cores"), Memory: 10 * gib, Used: units.Bytes(rapid.IntRange(0, 8).Draw(t, "used")) * gib,
		})
	}
	return list
}

// Every tree is one: a path for each worker, no node with one child, degrees and servers within
// limits; and the order of the input does not matter.
func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t)
		tree, err := Plan(r)
		if err != nil {
			if !errors.Is(err, ErrNoServer) && !errors.Is(err, ErrFewServers) && !errors.Is(err, ErrManyHosts) {
				t.Fatal(err)
			}
			return
		}
		check(t, tree, r.Workers)
		fit, _ := Candidates(r.Servers, r.Model)
		for i, name := range tree.Servers() {
			if name != fit[i].Name {
				t.Errorf("server %d of the tree is %s, and of the candidates %s", i, name, fit[i].Name)
			}
			if n, most := len(tree.Children(name)), Children(fit[i].Bandwidth, fit[0].Bandwidth, tree.K()); n > most {
				t.Errorf("%v: %s has %d children, and serves %d", tree, name, n, most)
			}
		}
		if n := len(tree.Children("ps")); n > tree.K() && tree.Note() == "" {
			t.Errorf("%v: the PS has %d children, k = %d", tree, n, tree.K())
		}
		r.Workers = rapid.Permutation(r.Workers).Draw(t, "workers in another order")
		r.Servers = rapid.Permutation(r.Servers).Draw(t, "servers in another order")
		if again, err := Plan(r); err != nil || again.String() != tree.String() {
			t.Errorf("%v, then %v (%v)", tree, again, err)
		}
	})
}
