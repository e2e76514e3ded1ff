package pipeline

import (
	"net/netip"
	"testing"

	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// The chip has two levels: a job of more is refused, and packets of such pass it by.
func TestMoreThanTwoLevels(t *testing.T) {
	cfg := configOf(4, []int{0}, []int{2})
	c := newChip(t, cfg, Options{})
	j := cfg.Jobs[0]
	j.ID, j.Levels = 9, 3
	_, err := c.e.AddJob(0, &j)
	if r, ok := err.(*dataplane.Refusal); !ok || r.Reason != dataplane.RefusedLevels {
		t.Errorf("%v", err)
	}
	for port, want := range map[uint16]dataplane.Claim{wire.Port: dataplane.InTransit, wire.DeepPort: dataplane.NotMine} {
		at := netip.MustParseAddr("10.0.0.1")
		header := inet.UDPHeader(inet.Flow{Src: at, Dst: at, DstPort: port})
		layout, problem := inet.Parse(header)
		if got := c.e.Claims(dataplane.Frame{Header: header, Layout: layout, Problem: problem}); got != want {
			t.Errorf("port %d: %v, want %v", port, got, want)
		}
	}
}
