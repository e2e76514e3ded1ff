package xdp

import (
	"errors"
	"strings"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// This kernel has all of it, and nothing is left on the interfaces.
func TestProbeFeatures(t *testing.T) {
	l := newLab(t, 1500)
	netnstest.In(t, l.server, func() error {
		if f := ProbeFeatures(serverEnd(0), serverEnd(1)); f != (Features{}) {
			t.Errorf("%+v", f)
		}
		if f := ProbeFeatures("none", serverEnd(1)); f.Native == nil || f.Generic != nil || f.Link != nil {
			t.Errorf("without a veth: %+v", f)
		}
		return nil
	})
	if left := l.attached(t); left != nil {
		t.Errorf("programs are left on %v", left)
	}
}

// A kernel without BTF is refused by name, and so that whoever runs the process knows that the machine
// lacks something. An aggregator that was closed is a mistake of the caller's.
func TestLackingMachines(t *testing.T) {
	netnstest.RequireRoot(t)
	_, err := Load(Options{Config: testConfig(wire.MinValues, 1), btf: func() error { return ebpf.ErrNotSupported }})
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "it needs Linux 5.9 or later with CONFIG_BPF_SYSCALL") {
		t.Errorf("without BTF: %v", err)
	}
	for _, err := range []error{err, explain(ebpf.ErrNotSupported), ErrMTU, ErrMemory, ErrPermission, &BusyError{Iface: "eth0"}} {
		var l interface{ Lacking() bool }
		if !errors.As(err, &l) || !l.Lacking() {
			t.Errorf("%v is not of the machine", err)
		}
	}
	var l interface{ Lacking() bool }
	if errors.As(ErrClosed, &l) {
		t.Error("closing is not of the machine")
	}
}
