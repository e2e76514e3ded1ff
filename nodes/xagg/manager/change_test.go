package manager

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func plan(t *testing.T, w, s, k int) *Tree {
	t.Helper()
	tree, err := Plan(Request{PS: "ps", Workers: workers(w), Servers: servers(s), Model: gib, K: k})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestFail(t *testing.T) {
	tree := plan(t, 7, 2, 3)
	c, err := tree.Fail("s1", "no answer for 1 s")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tree.String(), "ps(w1 w2 w3 s2(w4 w5 w6) w7)"; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	want := Change{Version: 2, Out: []string{"s1"}, Moves: []Move{{"w1", "s1", "ps"}, {"w2", "s1", "ps"}, {"w3", "s1", "ps"}},
		Why: []string{"s1 left: no answer for 1 s"}, Resend: []string{"w1", "w2", "w3"}}
	if fmt.Sprint(c) != fmt.Sprint(want) {
		t.Errorf("change %+v, want %+v", c, want)
	}
	for name, want := range map[string]string{"s1": "not in the tree", "w1": "end the job", "ps": "end the job"} {
		if _, err := tree.Fail(name, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s fails: error %v, want %q", name, err, want)
		}
	}
}

func TestAdjust(t *testing.T) {
	tree := plan(t, 7, 2, 3)
	load := servers(3)
	if c, changed := tree.Adjust(load); changed || c.Version != 1 {
		t.Errorf("the same load changes the tree: %+v", c)
	}
	load[0].Used = 127 * gib // s3 takes the place of s1
	c, changed := tree.Adjust(load)
	if got, want := tree.String(), "ps(s3(w1 w2 w3) s2(w4 w5 w6) w7)"; !changed || got != want {
		t.Fatalf("%v, want %v", got, want)
	}
	if fmt.Sprint(c.Out, c.In, len(c.Moves), c.Version) != "[s1] [s3] 4 2" || !strings.Contains(c.Why[0], "80%") {
		t.Errorf("change %+v", c)
	}
	load = load[1:2] // s3 is silent, and nobody is left for its place
	if tree.Adjust(load); tree.String() != "ps(w1 w2 w3 s2(w4 w5 w6) w7)" {
		t.Errorf("%v", tree)
	}
	if tree.Adjust(servers(3)); tree.String() != "ps(s2(w4 w5 w6) w7 s1(w1 w2 w3))" { // servers are back
		t.Errorf("%v", tree)
	}
}

// A server that got the children of one that failed keeps its place, and another takes what is too
// much for it.
func TestAdjustRelieves(t *testing.T) {
	tree := plan(t, 8, 6, 2)
	if got, want := tree.String(), "ps(s5(s1(w1 w2) s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))"; got != want {
		t.Fatalf("%v, want %v", got, want)
	}
	if _, err := tree.Fail("s1", "test"); err != nil {
		t.Fatal(err)
	}
	c, _ := tree.Adjust(servers(7)[1:])
	if got, want := tree.String(), "ps(s5(s2(w3 w4) s7(w1 w2)) s6(s3(w5 w6) s4(w7 w8)))"; got != want || len(c.Out) != 0 {
		t.Errorf("%v and %+v, want %v", got, c, want)
	}
	if _, err := tree.Fail("s7", "test"); err != nil {
		t.Fatal(err)
	}
	tree.Adjust(servers(6)[1:]) // none is left
	if got, want := tree.String(), "ps(s2(w3 w4) w1 w2 s6(s3(w5 w6) s4(w7 w8)))"; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// A server that cannot serve the children of another does not take its place.
func TestAdjustLeavesWeakServersOut(t *testing.T) {
	tree := plan(t, 7, 2, 3)
	load := servers(3)
	load[0].Cores, load[2].Bandwidth = 0, 80*g // 2 children
	if tree.Adjust(load); tree.String() != "ps(w3 s2(w4 w5 w6) w7 s3(w1 w2))" {
		t.Errorf("%v", tree)
	}
}

// Host ids of servers that left are given again after the iteration.
func TestHostIDsComeBack(t *testing.T) {
	tree := plan(t, 7, 2, 3)
	for i := range 40 {
		if _, err := tree.Fail("s1", "test"); err != nil {
			t.Fatal(i, err)
		}
		tree.Adjust(servers(2))
		check(t, tree, workers(7))
	}
	if tree.Version() != 81 {
		t.Errorf("version %d", tree.Version())
	}
}

// After any failures and adjustments a tree is one, and the changes say all that moved.
func TestChangesKeepTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t)
		tree, err := Plan(r)
		if err != nil {
			return
		}
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			before := tree.parents()
			var c Change
			if s := tree.Servers(); len(s) > 0 && rapid.Bool().Draw(t, "fails") {
				if c, err = tree.Fail(rapid.SampledFrom(s).Draw(t, "server"), "test"); err != nil {
					t.Fatal(err)
				}
			} else {
				load := drawServers(t)
				c, _ = tree.Adjust(load)
				checkServed(t, tree, load)
			}
			check(t, tree, r.Workers)
			for _, m := range c.Moves {
				if before[m.Node] != m.From {
					t.Fatalf("%+v, and its parent was %s", m, before[m.Node])
				}
				before[m.Node] = m.To
			}
			for _, name := range c.Out {
				delete(before, name)
			}
			if fmt.Sprint(before) != fmt.Sprint(tree.parents()) {
				t.Fatalf("moves %v lead to %v, and the tree is %v", c.Moves, before, tree.parents())
			}
		}
	})
}

// checkServed holds a tree to the load that it was adjusted to.
func checkServed(t *rapid.T, tree *Tree, load []Server) {
	fit, _ := Candidates(load, gib)
	for _, name := range tree.Servers() {
		at := slices.IndexFunc(fit, func(s Server) bool { return s.Name == name })
		if at < 0 {
			t.Fatalf("%v: %s does not fit", tree, name)
		}
		if n, most := len(tree.Children(name)), Children(fit[at].Bandwidth, fit[0].Bandwidth, tree.K()); n > most {
			t.Fatalf("%v: %s has %d children, and serves %d", tree, name, n, most)
		}
	}
}

// element is an element of the data plane for one index, at one node: which workers its values are of.
type element struct {
	bitmap uint32
	values map[string]int // how often the values of a worker are in it
}

// round is one index of a gradient on its way up a tree.
type round struct {
	t    *rapid.T
	tree *Tree
	at   map[string]*element
}

// offer brings a packet of a node with some values to a parent; false if it did not count.
func (r *round) offer(from, to string, values map[string]int) {
	e := r.at[to]
	if e == nil {
		e = &element{values: map[string]int{}}
		r.at[to] = e
	}
	c := r.tree.Cover(to)
	if c.Judge(e.bitmap, r.tree.HostID(from)) != Count {
		return
	}
	e.bitmap |= r.tree.HostID(from)
	for w, n := range values {
		e.values[w] += n
	}
}

// send lets a node send what it has: a worker its values, a server a complete element.
func (r *round) send(name string) {
	values := map[string]int{name: 1}
	if r.tree.find(name).role == ServerRole {
		e := r.at[name]
		if c := r.tree.Cover(name); e == nil || !c.Complete(e.bitmap) {
			return
		}
		values = e.values
	}
	r.offer(name, r.tree.Parent(name), values)
}

// However servers fail while packets are sent, repeated and late, the sum at the PS has every worker
// once when it is complete; and it gets complete when all send again.
func TestFailoverCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(4, 12).Draw(t, "workers")
		tree, err := Plan(Request{PS: "ps", Workers: workers(w), Servers: servers(12), Model: gib, K: rapid.IntRange(2, 3).Draw(t, "k")})
		if err != nil {
			t.Fatal(err)
		}
		r := round{t: t, tree: tree, at: map[string]*element{}}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			s := tree.Servers()
			if len(s) > 0 && rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
				if _, err := tree.Fail(rapid.SampledFrom(s).Draw(t, "server"), "test"); err != nil {
					t.Fatal(err)
				}
				continue
			}
			r.send(rapid.SampledFrom(append(tree.Workers(), s...)).Draw(t, "sender"))
		}
		for range tree.Height() {
			for _, name := range append(tree.Workers(), tree.Servers()...) {
				r.send(name)
			}
		}
		e, c := r.at["ps"], tree.Cover("ps")
		if e == nil || !c.Complete(e.bitmap) {
			t.Fatalf("%v: the sum at the PS is not complete", tree)
		}
		for _, worker := range workers(w) {
			if n := e.values[worker.Name]; n != 1 {
				t.Fatalf("%v: the values of %s are %d times in the sum", tree, worker.Name, n)
			}
		}
	})
}

// A failed server's packets are refused, and a child of it counts where its bit is not set.
func TestCover(t *testing.T) {
	tree := plan(t, 7, 2, 3)
	s1, w1 := tree.HostID("s1"), tree.HostID("w1")
	if _, err := tree.Fail("s1", "test"); err != nil {
		t.Fatal(err)
	}
	c := tree.Cover("ps")
	if c.Judge(0, s1) != Refused || c.Judge(0, w1|1<<31) != Refused || c.Judge(0, 0) != Refused {
		t.Error("packets of no child count")
	}
	if c.Judge(0, w1) != Count || c.Judge(w1, w1) != Duplicate || c.Judge(s1, w1) != Duplicate {
		t.Error("a child of the failed server counts twice, or not at all")
	}
	if p := c.Stands(); len(p) != 1 || p[0][0] != s1 || bits.OnesCount32(p[0][1]) != 3 {
		t.Errorf("pairs %v", p)
	}
	if got := tree.Cover("nobody"); got.Children != 0 {
		t.Errorf("cover %v of nobody", got)
	}
	tree.Adjust(servers(2))
	if c := tree.Cover("ps"); len(c.Stands()) != 0 {
		t.Error("a failure is remembered after its iteration")
	}
	if !slices.Contains(tree.Servers(), "s1") {
		t.Errorf("%v: s1 fits, and the PS has more than k children", tree)
	}
}

// A node that came in the place of a failed server may fail too: what the first forwarded still counts
// for those below the second.
func TestCoverAfterTwoFailures(t *testing.T) {
	tree := plan(t, 12, 12, 2)
	top := tree.Children("ps")[0]
	bit := tree.HostID(top)
	below := tree.Children(top)[0]
	for _, name := range []string{top, below} {
		if _, err := tree.Fail(name, "test"); err != nil {
			t.Fatal(err)
		}
	}
	c := tree.Cover("ps")
	for _, name := range tree.Children("ps") {
		want := Duplicate
		if name == tree.Children("ps")[len(tree.Children("ps"))-1] {
			want = Count // the other child of the PS
		}
		if got := c.Judge(bit, tree.HostID(name)); got != want {
			t.Errorf("%v: a packet of %s is judged %d, want %d", tree, name, got, want)
		}
	}
}
