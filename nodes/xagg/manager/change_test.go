package manager

import (
	"fmt"
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
	want := Change{Out: []string{"s1"}, Moves: []Move{{"w1", "s1", "ps"}, {"w2", "s1", "ps"}, {"w3", "s1", "ps"}},
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
	if c, changed := tree.Adjust(load); changed {
		t.Errorf("the same load changes the tree: %+v", c)
	}
	load[0].Used = 127 * gib // s3 takes the place of s1
	c, changed := tree.Adjust(load)
	if got, want := tree.String(), "ps(s3(w1 w2 w3) s2(w4 w5 w6) w7)"; !changed || got != want {
		t.Fatalf("%v, want %v", got, want)
	}
	if fmt.Sprint(c.Out, c.In, len(c.Moves)) != "[s1] [s3] 4" || !strings.Contains(c.Why[0], "80%") {
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
