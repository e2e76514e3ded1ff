package trioml

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/trace"
)

func TestRowsFitTheirColumns(t *testing.T) {
	if n := len(JobRow{}.Values(0)); n != len(JobColumns) {
		t.Errorf("a job has %d values for %d columns", n, len(JobColumns))
	}
	if n := len(BlockRow{}.Values()); n != len(BlockColumns) {
		t.Errorf("a block has %d values for %d columns", n, len(BlockColumns))
	}
	row := BlockRow{Have: trace.Mask{1}, Want: trace.Mask{7}, Age: 1500}.Values()
	if diff := cmp.Diff("1-2", row[5].String()); diff != "" {
		t.Errorf("missing sources (-want +got):\n%s", diff)
	}
}
