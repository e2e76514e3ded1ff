package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

const twoVariants = `hosts: 6
systems: [{system: ring}, {system: ps}]
variants:
  slow: {hosts: 4, ps: {servers: dedicated, count: 1}, workers: [{at: h1, compute: 2x}]}
  wide-links: {hosts: 5, link: {rate: 400Gbit/s}, ps: {count: 2}}
`

// jobsAt tells the jobs of a scenario.
func jobsAt(t *testing.T, s *Scenario) string {
	t.Helper()
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, j := range jobs {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %d+%d", j.Point, j.System.Name(), len(j.Hosts()), j.Servers)))
	}
	return strings.Join(out, ", ")
}

// A variant stands over the file and below what is set, by itself or as a point of a sweep; and
// what is written of a scenario says the same.
func TestVariants(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
		slow int // workers that are slow
	}{
		{nil, "ring 6+0, ps 6+0", 0},
		{[]string{"variant=slow"}, "ring 4+0, ps 4+1", 2},
		{[]string{"variant=slow", "hosts=3", "ps.servers=colocated"}, "ring 3+0, ps 3+0", 2},
		{[]string{"variant=slow", "workers=[]"}, "ring 4+0, ps 4+1", 0},
		{[]string{"sweep=[{variant: [slow, wide-links]}]", "systems=[{system: ps}]"}, "variant=slow ps 4+1, variant=wide-links ps 5+0", 1},
		{[]string{"sweep=[{variant: [slow]}, {hosts: [3, 6]}]", "systems=[{system: ps}]"}, "variant=slow hosts=3 ps 3+1, variant=slow hosts=6 ps 6+1", 2},
		{[]string{"variants={other: {hosts: 2}}", "variant=other"}, "ring 2+0, ps 2+0", 0},
	} {
		s := mustShort(t, twoVariants, c.set...)
		text, err := s.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Scenario{s, mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1])} {
			got := jobsAt(t, s)
			if slow := strings.Count(strings.Join(computes(t, s, true), " "), "2.00"); got != c.want || slow != c.slow {
				t.Errorf("%q: %s with %d slow workers, want %s with %d; written as\n%s", c.set, got, slow, c.want, c.slow, text)
			}
		}
	}
}

// What is wrong in a variant stands where it is in the file, also where nobody asked for it.
func TestVariantsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ rest, want string }{
		{"variant: slwo\n" + twoVariants, `short.yaml:4:10: variant: "slwo": allowed are slow, wide-links; did you mean "slow"?`},
		{"variant: slow\nsystems: [{system: ring}]\n", "there are no variants: leave it out, or write variants: {slow: {hosts: 4}}"},
		{"systems: [{system: ring}]\nvariants: {a: {hosts: 4}, b: {hots: 4}}\n", `unknown key "hots"`},
		{"systems: [{system: ring}]\nvariants: {a: {sweep: []}}\n", "a variant has none of apiVersion"},
		{"systems: [{system: ring}]\nvariants: {a: 4}\n", "write the values of the variant"},
		{"systems: [{system: ring}]\nvariants: {A: {hosts: 4}}\n", `"A": a variant needs a name`},
		{"variant: a\nsystems: [{system: ring}]\nvariants:\n  a:\n    hosts: 1\n", "short.yaml:8:12: variants.a.hosts: 1: allowed are 2 to"},
		{"variant: a\nsystems: [{system: ring}]\nvariants:\n  a:\n    workers: [{at: h9, lag: 1s}]\n", "short.yaml:8:"},
	} {
		s, err := loadShort(t, c.rest)
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
