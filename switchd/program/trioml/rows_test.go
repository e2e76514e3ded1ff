package trioml

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

func TestRowsFitTheirColumns(t *testing.T) {
	if n := len(JobRow{}.Values(0)); n != len(JobColumns) {
		t.Errorf("a job has %d values for %d columns", n, len(JobColumns))
	}
	if n := len(BlockRow{}.Values(0)); n != len(BlockColumns) {
		t.Errorf("a block has %d values for %d columns", n, len(BlockColumns))
	}
	row := BlockRow{OpenBlock: dataplane.OpenBlock{Have: trace.Mask{1}, Want: trace.Mask{7}}}.Values(1500)
	if diff := cmp.Diff("1-2", row[5].String()); diff != "" {
		t.Errorf("missing sources (-want +got):\n%s", diff)
	}
}
