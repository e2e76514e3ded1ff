package profiles

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// TestTable1 holds the profiles to Table 1 of the Trio paper.
func TestTable1(t *testing.T) {
	table := []struct {
		name  string
		size  units.Bytes
		batch int
	}{
		{"resnet50", 98 << 20, 64},
		{"vgg11", 507 << 20, 128},
		{"densenet161", 109 << 20, 64},
	}
	if len(All()) != len(table) {
		t.Fatalf("%d profiles, the table has %d rows", len(All()), len(table))
	}
	for _, row := range table {
		p, err := Lookup(row.name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != row.name || p.Size() != row.size || p.Batch != row.batch {
			t.Errorf("%s: %q with %v and batch %d, want %v and %d", row.name, p.Name, p.Size(), p.Batch, row.size, row.batch)
		}
	}
}

// TestSizesAreBinary holds what doc.go derives: four bytes for each published
// parameter make the printed size when that is read as MiB.
func TestSizesAreBinary(t *testing.T) {
	for _, p := range All() {
		mib := float64(p.Params) * 4 / float64(units.MiB)
		if math.Abs(mib-float64(p.SizeMiB)) >= 1 {
			t.Errorf("%s: %d parameters are %.2f MiB, the paper prints %d", p.Name, p.Params, mib, p.SizeMiB)
		}
	}
}

func TestComputeTimesSayTheyAreAssumed(t *testing.T) {
	for _, p := range All() {
		rate := float64(p.Batch) / p.Compute.Seconds()
		if rate < 200 || rate > 600 {
			t.Errorf("%s: %.0f images/s are not of the order that its source states", p.Name, rate)
		}
		if !strings.Contains(p.Source, "assumed") || !strings.Contains(p.Source, "Table 1") {
			t.Errorf("%s: source %q names neither table nor assumption", p.Name, p.Source)
		}
	}
}

func TestLookupSuggests(t *testing.T) {
	const allowed = "allowed are resnet50, vgg11, densenet161"
	cases := []struct{ name, want string }{
		{"ResNet-50", `unknown profile "ResNet-50": ` + allowed + `; did you mean "resnet50"?`},
		{"vgg", `unknown profile "vgg": ` + allowed},
		{"vgg1", `unknown profile "vgg1": ` + allowed + `; did you mean "vgg11"?`},
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
	All()[0].Batch = 1
	if p, err := Lookup("resnet50"); err != nil || p.Batch != 64 {
		t.Fatalf("a caller's change reached the table: %+v, %v", p, err)
	}
}
