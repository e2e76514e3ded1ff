package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A scale that is left open follows from the fastest line of a host, and is one number for all points.
func TestScaleOfTheRule(t *testing.T) {
	const rings = "systems: [{system: ring}]\n"
	for _, c := range []struct {
		rest string
		set  []string
		want []int // by point
		auto bool
	}{
		{rings, nil, []int{200}, true}, // 100 Gbit/s
		{rings + "link: {rate: 25Gbit/s}\n", nil, []int{50}, true},
		{rings + "link: {rate: 20200Mbit/s}\n", nil, []int{41}, true}, // never above 500 Mbit/s
		{rings + "link: {rate: 100Mbit/s}\n", nil, []int{25}, true},   // 98 MiB
		{rings + "link: {rate: unlimited}\n", nil, []int{25}, true},
		{rings + "model: vgg11\nlink: {rate: 25Gbit/s}\n", nil, []int{127}, true}, // 507 MiB
		{"jobs: [{name: a, hosts: [h0, h1], system: ring}, {name: b, hosts: [h2, h3], model: vgg11, system: ring}]\nlink: {rate: 25Gbit/s}\n", nil, []int{127}, true},
		{rings + "links: [{at: h3, rate: 400Gbit/s}]\n", nil, []int{800}, true},
		{rings + "topology: leaf-spine\nuplink: {rate: 400Gbit/s}\n", nil, []int{200}, true}, // hosts alone count
		{"systems: [{system: ring}, {system: ps, topology: {generator: rack, links: [{from: h1, rate: 200Gbit/s}]}}]\n", nil, []int{400}, true},
		{rings + "sweep: [link.rate: [10Gbit/s, 40Gbit/s, 25Gbit/s]]\n", nil, []int{80, 80, 80}, true},
		{rings + "flows: [{name: a, from: h0, to: h1, kind: udp, rate: 10Gbit/s}]\n", nil, []int{200}, true},
		{rings + "scale: 7\n", nil, []int{7}, false},
		{rings, []string{"scale=7"}, []int{7}, false},
		{rings + "scale: 7\n", []string{"scale=auto"}, []int{200}, true},
		{rings + "sweep: [link.rate: [10Gbit/s, 40Gbit/s]]\n", []string{"scale=30"}, []int{30, 30}, false},
		{rings + "sweep: [scale: [10, 400]]\n", nil, []int{10, 400}, false}, // each row shows it
		{rings + "variants: {a: {scale: 9}, b: {scale: 9, hosts: 4}}\nsweep: [variant: [a, b]]\n", nil, []int{9, 9}, false},
	} {
		s := mustShort(t, c.rest, c.set...)
		var got []int
		for _, p := range s.Points() {
			got = append(got, p.Scale)
			jobs, err := p.Jobs(true)
			if err != nil {
				t.Fatalf("%q: %v", c.rest, err)
			}
			for _, j := range jobs {
				if j.Scale != p.Scale {
					t.Errorf("%q: a job has scale %d, its point %d", c.rest, j.Scale, p.Scale)
				}
			}
		}
		if !slices.Equal(got, c.want) || s.Auto != c.auto {
			t.Errorf("%q %q: scale %v, auto %v; want %v, %v", c.rest, c.set, got, s.Auto, c.want, c.auto)
		}
	}
}

// What is kept of a scenario holds the number: it runs again with the same one.
func TestScaleIsWrittenAsANumber(t *testing.T) {
	s := mustShort(t, "systems: [{system: ring}]\nlink: {rate: 25Gbit/s}\nflows: [{name: a, from: h0, to: h1, kind: udp, rate: 10Gbit/s}]\n")
	text, err := s.MarshalYAML()
	if err != nil || !strings.Contains(string(text), "\nscale: 50\n") {
		t.Errorf("%v, written as\n%s", err, text)
	}
	options, err := json.Marshal(s.Options())
	if err != nil || !strings.Contains(string(options), `"Scale":50,`) {
		t.Errorf("%v, options %s", err, options)
	}
	if got := fmt.Sprint(s.Flows[0].Pattern.Rate); got != "200Mbit/s" {
		t.Errorf("the flow has %s", got)
	}
}

func TestScalesThatCannotBe(t *testing.T) {
	const rings = "systems: [{system: ring}]\n"
	for _, c := range []struct{ rest, want string }{
		{"scale: fast\n" + rings, `short.yaml:4:8: scale: "fast": write auto, or a whole number from 1 to 1000000`},
		{"scale: 0\n" + rings, "short.yaml:4:8: scale: 0: allowed are 1 to 1000000"},
		{"scale: 1.5\n" + rings, "scale: 1.5: a whole number is needed"},
		{"scale: -3\n" + rings, "scale: -3: allowed are 1 to 1000000"},
		{rings + "variants: {a: {scale: 40}, b: {hosts: 4}}\nsweep: [variant: [a, b]]\n", "scale 40 at variant=a and auto at variant=b: one table has one scale: "},
		{rings + "variants: {a: {scale: 40}, b: {scale: 50}}\nsweep: [variant: [a, b]]\n", "scale 40 at variant=a and 50 at variant=b: one table has one scale: "},
		{rings + "sweep: [scale: [auto, 200]]\n", "sweep[0]: scale: auto is one number for all points: write numbers"},
	} {
		if _, err := loadShort(t, c.rest); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.rest, err, c.want)
		}
	}
}
