package pktio_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// slice returns the time slice of the calling thread, and whether this kernel knows any.
func slice(t *testing.T) (time.Duration, bool) {
	t.Helper()
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(attr.Runtime), attr.Runtime > 0
}

// The loop of a host has the shortest time slice, and its thread the one of others behind it.
func TestPromptLoop(t *testing.T) {
	for _, prompt := range []bool{false, true} {
		before, known := slice(t)
		if !known {
			t.Skip("this kernel has no time slices of threads (Linux 6.12)")
		}
		var inside time.Duration
		m := &script{deadline: 5 * us}
		m.expire = func(units.Time, *sansio.Effects) {
			inside, _ = slice(t)
			m.ended = true
		}
		_, _, err := virtual(t, m, nil, func(cfg *pktio.DriveConfig) { cfg.Prompt = prompt })
		after, _ := slice(t)
		if err != nil || after != before || prompt != (inside < before) || prompt && inside != 100*time.Microsecond {
			t.Errorf("prompt %v: a slice of %v in the loop, %v before it and %v behind, error %v", prompt, inside, before, after, err)
		}
	}
}
