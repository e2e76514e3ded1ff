package capacity_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/capacity"
)

// A scale of which too little is left is told before the run.
func TestCoarse(t *testing.T) {
	for set, want := range map[string]string{
		"scale=4000":   "",
		"scale=auto":   "",
		"scale=100000": "scale 100000 leaves 3220 bytes of the gradient, less than 16 packets",
		"scale=20000; link.rate=10Gbit/s; model={bytes: 1GB}": "scale 20000 leaves lines on which a packet takes ",
		"scale=1; model={bytes: 4KiB}":                        "",
	} {
		sets := setsOf(t, "systems: [{system: ring}]\nhosts: 2\n", strings.Split(set, "; ")...)
		got := capacity.Coarse(append(sets, sets...))
		if len(got) > 1 || strings.Join(got, "") == "" != (want == "") || !strings.HasPrefix(strings.Join(got, ""), want) {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}
