package xdp

import (
	"testing"

	"github.com/inalab/inalab/switchd/xdp/objecttest"
)

// The committed object is that of the source.
func TestObjectIsOfSource(t *testing.T) {
	objecttest.Compare(t, "xdp", "bpf/aggregator.c", "kernel", "config", "check")
}
