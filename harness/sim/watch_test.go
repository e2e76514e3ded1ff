package sim

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/nodes/newreno"
	"github.com/inalab/inalab/nodes/roce"
)

// A run that stalls names the hosts whose connections gave up.
func TestConnectionsThatGaveUpAreNamed(t *testing.T) {
	of := func(name string, list ...sansio.Count) counted {
		return counted{name, func() []sansio.Count { return list }}
	}
	none := &run{tenants: []*tenant{{counted: []counted{of("h0", sansio.Count{Name: newreno.CountExhausted}, sansio.Count{Name: "tcp-resent", N: 4})}}}}
	if got := none.gaveUpText(); got != "" {
		t.Errorf("nobody gave up: %q", got)
	}
	some := &run{tenants: []*tenant{
		{counted: []counted{of("h0"), of("h1", sansio.Count{Name: newreno.CountExhausted, N: 2})}},
		{counted: []counted{of("h2", sansio.Count{Name: roce.CountExhausted, N: 1})}},
	}}
	if got, want := some.gaveUpText(), "; connections gave up, after all their timeouts in a row: h1 (2), h2 (1)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
