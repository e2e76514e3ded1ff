package onehop

import (
	"testing"

	"github.com/inalab/inalab/switchd/xdp/objecttest"
)

// The committed object is that of the source.
func TestObjectIsOfSource(t *testing.T) {
	objecttest.Compare(t, "onehop", "bpf/rig.c", "rig", "generator")
}
