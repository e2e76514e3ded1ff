package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/gen/gentest"
	"github.com/inalab/inalab/topo/spec"
)

// resolve reads a file and what it means.
func resolve(text string, base spec.Base) (*spec.Lab, error) {
	t, err := spec.Read(spec.Source{Name: "f", Text: []byte(text)})
	if err != nil {
		return nil, err
	}
	return t.Resolve(base)
}

// drawSpec draws a direction of a link, with every impairment now and then.
func drawSpec(t *rapid.T, name string) (s topo.LinkSpec) {
	may := func(what string) bool { return rapid.IntRange(0, 2).Draw(t, name+" "+what) == 0 }
	s.Rate = units.Rate(rapid.Int64Range(0, 400_000_000_000).Draw(t, name+" rate"))
	s.Delay = units.Duration(rapid.Int64Range(0, int64(units.Second)).Draw(t, name+" delay"))
	if may("jitter") {
		s.Jitter = s.Delay / 3
	}
	if may("loss") {
		s.Loss = rapid.Float64Range(0, 1).Draw(t, name+" share")
	}
	if may("every") {
		s.LossEvery = rapid.IntRange(0, 1000).Draw(t, name+" period")
	}
	if may("bursts") {
		s.Bursts = topo.Bursts{Enter: 0.01, Leave: rapid.Float64Range(0.001, 1).Draw(t, name+" leave"), Good: 0.125, Bad: 1}
	}
	if s.Jitter > 0 {
		s.Distribution = rapid.SampledFrom([]topo.Distribution{topo.Uniform, topo.Normal, topo.Pareto}).Draw(t, name+" distribution")
	}
	if s.Delay > 0 && may("reorder") {
		s.Reorder, s.ReorderGap = rapid.Float64Range(0.001, 1).Draw(t, name+" overtaking"), rapid.IntRange(0, 9).Draw(t, name+" gap")
	}
	if may("mishaps") {
		s.Duplicate, s.Corrupt = rapid.Float64Range(0, 1).Draw(t, name+" twice"), rapid.Float64Range(0, 1).Draw(t, name+" flipped")
	}
	if may("script") {
		s.Script = rapid.SampledFrom([]topo.Script{"1/5:3", "1/5:3,4 2/4294967295:1"}).Draw(t, name+" script")
	}
	if may("queue") {
		s.Queue = units.Bytes(rapid.Int64Range(0, 1<<30).Draw(t, name+" queue"))
	}
	if s.Rate > 0 && may("marking") {
		s.Marking = topo.Marking{Min: 1000, Max: 1000}
		if may("slope") {
			s.Marking = topo.Marking{Min: 1000, Max: 5000, P: 0.3, Weight: 0.002}
		}
	}
	return s
}

// Every generated graph is written as a file from which it comes again, with links that differ, too.
func TestWrittenGraphsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, p := gentest.Draw(t)
		p.Link, p.Uplink, p.Fabric = drawSpec(t, "link"), drawSpec(t, "uplink"), drawSpec(t, "fabric")
		p.MTU = rapid.SampledFrom([]int{0, 1500, 9000}).Draw(t, "mtu")
		g, err := gen.ByName(name, p)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 3).Draw(t, "links that differ") {
			l := &g.Links[rapid.IntRange(0, len(g.Links)-1).Draw(t, "link")]
			l.AtoB, l.BtoA = drawSpec(t, "there"), drawSpec(t, "back")
		}
		text := spec.Write(g, spec.Header{Description: "a: b"})
		lab, err := resolve(string(text), spec.Base{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(g, lab.Graph); diff != "" {
			t.Fatalf("another graph came back (-written +read):\n%s\n%s", diff, text)
		}
	})
}
