package profiles

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
)

// TestGolden shows every number of the table, to be read beside the papers.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, p := range All() {
		fmt.Fprintf(&b, "%s: %s, %d MiB, %d parameters, batch %d, compute %v (%s)\n", p.Name, p.Task, p.SizeMiB, p.Params, p.Batch, p.Compute, p.ComputeFrom)
		for _, r := range p.Measured {
			c, from := r.Compute()
			fmt.Fprintf(&b, "  %-8s %-9s %-11s %-10s size %s batch %d time %v sd %v comm %d%% overlap %s tensors %s alpha %g: compute %v (%s)\n", r.Paper, linkName(r.Link), r.GPU, r.Toolkit,
				show(r.Size), r.Batch, r.BatchTime, r.BatchSD, r.Comm, show(r.Overlap), show(r.Tensors), r.Alpha, c, from)
		}
	}
	golden.Equal(t, "profiles.txt", b.String())
}

func linkName(r units.Rate) string {
	if r == 0 {
		return "differ"
	}
	return r.String()
}

func show(r Reading) string {
	if r.Printed == r.Used {
		return fmt.Sprint(r.Used)
	}
	return fmt.Sprintf("%d (printed %d)", r.Used, r.Printed)
}

// TestOrder holds All to the order of the papers, each model where it first comes.
func TestOrder(t *testing.T) {
	want := "resnet50 vgg11 densenet161 deeplight lstm bert vgg19 ugatit ncf ssd alexnet vgg16 resnet101 resnet152 inception-v3 bert-bilstm-crf"
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestTrioTable1 holds the profiles to Table 1 of the Trio paper.
func TestTrioTable1(t *testing.T) {
	for _, row := range []struct {
		name  string
		size  units.Bytes
		batch int
	}{
		{"resnet50", 98 << 20, 64},
		{"vgg11", 507 << 20, 128},
		{"densenet161", 109 << 20, 64},
	} {
		p, err := Lookup(row.name)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := p.Row(Trio, 100*units.GbitPerSecond)
		if !ok || r.Bytes() != row.size || r.Batch != row.batch {
			t.Errorf("%s: row %+v, want %v and %d", row.name, r, row.size, row.batch)
		}
		if p.Size() != row.size || p.Batch != row.batch || p.ComputeFrom != Assumed {
			t.Errorf("%s: %v with batch %d, compute %s, want %v and %d, assumed", row.name, p.Size(), p.Batch, p.ComputeFrom, row.size, row.batch)
		}
	}
}

// TestSwitchMLTable1 holds the rows to Table 1 of the SwitchML paper.
func TestSwitchMLTable1(t *testing.T) {
	type rate struct {
		ms, sd        float64
		comm, overlap int
	}
	for _, row := range []struct {
		name        string
		size, batch int
		slow, fast  rate
		alpha       float64
	}{
		{"deeplight", 2319, 1 << 13, rate{2101, 1.4, 97, 2}, rate{258, 0.4, 79, 20}, 1.0},
		{"lstm", 1627, 64, rate{1534, 8.3, 94, 10}, rate{312, 6.8, 46, 56}, 1.5},
		{"bert", 1274, 4, rate{1677, 7.1, 67, 3}, rate{668, 3.1, 17, 35}, 3.5},
		{"vgg19", 548, 64, rate{661, 1.9, 73, 67}, rate{499, 1.1, 10, 99}, 6.7},
		{"ugatit", 511, 2, rate{1612, 2.5, 28, 84}, rate{1212, 3.5, 4, 99}, 17.6},
		{"ncf", 121, 1 << 17, rate{149, 0.6, 72, 4}, rate{46, 0.1, 23, 27}, 1.2},
		{"ssd", 98, 16, rate{293, 0.6, 26, 99}, rate{293, 1.6, 3, 99}, 15.2},
		{"resnet50", 87, 64, rate{299, 10.9, 29, 67}, rate{270, 1.2, 3, 94}, 19.8},
	} {
		p, err := Lookup(row.name)
		if err != nil {
			t.Fatal(err)
		}
		for link, want := range map[units.Rate]rate{10 * units.GbitPerSecond: row.slow, 100 * units.GbitPerSecond: row.fast} {
			r, ok := p.Row(SwitchML, link)
			got := rate{r.BatchTime.Milliseconds(), r.BatchSD.Milliseconds(), r.Comm, r.Overlap.Printed}
			if !ok || got != want || r.Size.Printed != row.size || r.Batch != row.batch || r.Workers != 8 || r.GPU != "P100" {
				t.Errorf("%s at %v: %+v, want %+v", row.name, link, r, want)
			}
			if want := map[bool]float64{true: row.alpha}[link == 100*units.GbitPerSecond]; r.Alpha != want {
				t.Errorf("%s at %v: alpha %g, want %g", row.name, link, r.Alpha, want)
			}
		}
	}
}

// TestReadings lists every number that is used instead of what is printed, or
// whose unit is in doubt.
func TestReadings(t *testing.T) {
	var got []string
	for _, p := range All() {
		for _, r := range p.Measured {
			for _, x := range []Reading{r.Size, r.Overlap, r.Tensors} {
				if x.Printed != 0 && x.Printed != x.Used || x.Ambiguity != "" {
					got = append(got, fmt.Sprintf("%s %s %s: %d for %d, %s", p.Name, r.Paper, linkName(r.Link), x.Used, x.Printed, x.Ambiguity))
				}
			}
		}
	}
	want := []string{
		"resnet50 trio 100Gbit/s: 98 for 98, trio.size-unit",
		"resnet50 switchml 10Gbit/s: 98 for 87, switchml.size-swap",
		"resnet50 switchml 10Gbit/s: 161 for 152, switchml.tensor-count",
		"resnet50 switchml 100Gbit/s: 98 for 87, switchml.size-swap",
		"resnet50 switchml 100Gbit/s: 161 for 152, switchml.tensor-count",
		"vgg11 trio 100Gbit/s: 507 for 507, trio.size-unit",
		"densenet161 trio 100Gbit/s: 109 for 109, trio.size-unit",
		"ugatit switchml 10Gbit/s: 16 for 84, switchml.ugatit-overlap",
		"ssd switchml 10Gbit/s: 87 for 98, switchml.size-swap",
		"ssd switchml 100Gbit/s: 87 for 98, switchml.size-swap",
		"inception-v3 xagg differ: 25 for 25, xagg.inception-size",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSizesAreBinary holds what doc.go derives: four bytes for each published
// parameter make the size of every paper when that is read as MiB, but for the
// one that doc.go names. 97 and 98 MiB are the same ResNet-50.
func TestSizesAreBinary(t *testing.T) {
	for _, p := range All() {
		mib := float64(p.Params) * 4 / float64(units.MiB)
		for _, r := range p.Measured {
			near := math.Abs(mib-float64(r.Size.Used)) < 1
			if near == (r.Size.Ambiguity == "xagg.inception-size") {
				t.Errorf("%s, %s: %d parameters are %.2f MiB, used are %d", p.Name, r.Paper, p.Params, mib, r.Size.Used)
			}
		}
	}
}

func TestTrioComputeTimesSayTheyAreAssumed(t *testing.T) {
	for _, p := range All()[:3] {
		rate := float64(p.Batch) / p.Compute.Seconds()
		if rate < 200 || rate > 600 {
			t.Errorf("%s: %.0f images/s are not of the order that its source states", p.Name, rate)
		}
		if !strings.Contains(p.Source, "assumed") || !strings.Contains(p.Source, "Table 1") {
			t.Errorf("%s: source %q names neither table nor assumption", p.Name, p.Source)
		}
	}
}

func TestSourcesSayWhatIsAssumed(t *testing.T) {
	for _, p := range All() {
		for _, r := range p.Measured {
			if (r.Assumed != Assumption{}) && !strings.Contains(r.Source, "assumed") {
				t.Errorf("%s, %s: source %q does not say what is assumed", p.Name, r.Paper, r.Source)
			}
			if (r.Assumed.Batch > 0) == (r.Batch > 0) {
				t.Errorf("%s, %s: batch %d printed and %d assumed", p.Name, r.Paper, r.Batch, r.Assumed.Batch)
			}
		}
		if p.Compute <= 0 || p.Batch <= 0 || p.ComputeFrom == Unknown || !strings.Contains(p.Source, "compute time") {
			t.Errorf("%s: compute time %v (%q), batch %d, source %q", p.Name, p.Compute, p.ComputeFrom, p.Batch, p.Source)
		}
	}
}

func TestLookupSuggests(t *testing.T) {
	const allowed = "allowed are resnet50, vgg11, densenet161, deeplight, lstm, bert, vgg19, ugatit, ncf, ssd, " +
		"alexnet, vgg16, resnet101, resnet152, inception-v3, bert-bilstm-crf"
	cases := []struct{ name, want string }{
		{"ResNet-50", `unknown profile "ResNet-50": ` + allowed + `; did you mean "resnet50"?`},
		{"InceptionV3", `unknown profile "InceptionV3": ` + allowed + `; did you mean "inception-v3"?`},
		{"DensNet161", `unknown profile "DensNet161": ` + allowed + `; did you mean "densenet161"?`},
		{"gpt2", `unknown profile "gpt2": ` + allowed},
		{"", `unknown profile "": ` + allowed},
		{strings.Repeat("x", 1000), `unknown profile "` + strings.Repeat("x", 1000) + `": ` + allowed},
	}
	for _, c := range cases {
		_, err := Lookup(c.name)
		if !errors.Is(err, ErrUnknown) || err.Error() != c.want {
			t.Errorf("lookup %q:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestAllIsACopy(t *testing.T) {
	first := All()[0]
	first.Measured[0].Batch = 1
	All()[0].Batch = 1
	p, err := Lookup("resnet50")
	if err != nil || p.Batch != 64 || p.Measured[0].Batch != 64 {
		t.Fatalf("a caller's change reached the table: %+v, %v", p, err)
	}
	p.Measured[0].Batch = 1
	if p, _ := Lookup("resnet50"); p.Measured[0].Batch != 64 {
		t.Fatalf("a change to what Lookup returned reached the table: %+v", p)
	}
}

func TestRow(t *testing.T) {
	p, err := Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paper Paper
		link  units.Rate
		want  units.Rate
		ok    bool
	}{
		{SwitchML, 10 * units.GbitPerSecond, 10 * units.GbitPerSecond, true},
		{SwitchML, 0, 10 * units.GbitPerSecond, true},
		{XAgg, 0, 0, true},
		{SwitchML, 40 * units.GbitPerSecond, 0, false},
	} {
		if r, ok := p.Row(c.paper, c.link); ok != c.ok || r.Link != c.want || ok && r.Paper != c.paper {
			t.Errorf("row %s at %v: %+v, %t", c.paper, c.link, r, ok)
		}
	}
}
