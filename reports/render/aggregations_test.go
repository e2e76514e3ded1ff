package render

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Each interval of each job has a row for switches, and one for servers.
func TestAggregations(t *testing.T) {
	one := cell("atp", 0, 1)
	series := func(n ...units.Bytes) result.Series { return result.Series{Interval: 2 * units.Millisecond, Bytes: n} }
	one.Aggregations = []result.Aggregation{{Kind: result.KindSwitch, Name: "a", Series: series(0, 12)}, {Kind: result.KindServer, Name: "a", Series: series(3, 0)}}
	var b strings.Builder
	if err := WriteAggregations(&b, []result.Cell{one, cell("ring", 0, 1)}); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "aggregations.csv", b.String())
}
