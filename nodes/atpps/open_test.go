package atpps

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/switchd/dataplane"
)

// A server tells which fragments lack workers, the first of them first, then which it answered, the
// latest of them first.
func TestOpen(t *testing.T) {
	cfg := twoRacks()
	r := newRig(t, cfg)
	if got := r.server.Open(9); len(got) > 0 {
		t.Errorf("before any packet: %v", got)
	}
	one := func(int, int) int32 { return 1 }
	all := maskOf(0, 1, 2, 3, 4)
	for n := range uint32(70) { // numbers wrap
		r.give(packetOf(&cfg, all, 1+n%62, 0).fill(all, one))
	}
	r.give(packetOf(&cfg, maskOf(4), 10, 0).fill(maskOf(4), one))
	open, answered := dataplane.OpenBlock{Job: testJob, Block: 10, Have: maskOf(4), Want: all}, []dataplane.OpenBlock{}
	for n := uint32(8); n > 4; n-- {
		answered = append(answered, dataplane.OpenBlock{Job: testJob, Block: n, Have: all, Want: all})
	}
	want := append([]dataplane.OpenBlock{open}, answered...)
	if diff := cmp.Diff(want, r.server.Open(9)); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:2], r.server.Open(2)); diff != "" {
		t.Errorf("two of them (-want +got):\n%s", diff)
	}
	if got := r.server.Sources(testJob); got != all {
		t.Errorf("sources %v", got)
	}
}
