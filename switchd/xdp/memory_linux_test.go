package xdp

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/inalab/inalab/internal/units"
)

// 80% of 1000 MiB less 600 MiB in use is 200 MiB.
func TestSpareMemory(t *testing.T) {
	for text, want := range map[string]units.Bytes{
		"MemTotal:  1024000 kB\nMemFree: 7 kB\nMemAvailable: 409600 kB\n": 200 << 20,
		"MemTotal:  1024000 kB\nMemAvailable: 102400 kB\n":                0,
	} {
		if got, err := spareOf([]byte(text)); err != nil || got != want {
			t.Errorf("%q leaves %v %v, want %v", text, got, err, want)
		}
	}
	if _, err := spareOf([]byte("MemTotal: 5 kB\n")); err == nil {
		t.Error("a file that says nothing is believed")
	}
}

// Sums and results of 3 fragments: 12 bytes and 33 values are 144, a multiple of 8, and a mark is 8 more.
func TestFootprint(t *testing.T) {
	c := testConfig(33, 3)
	if got := Footprint(&c); got != 2*3*152 {
		t.Errorf("both tables take %v", got)
	}
	if c.Parent, c.Values = 0, 34; Footprint(&c) != 3*160 {
		t.Errorf("sums of 34 values take %v, want 160 each", Footprint(&c))
	}
	if err := errors.Join(fits(&c, 3*160)); err != nil {
		t.Error(err)
	}
	if err := fits(&c, 3*160-1); !errors.Is(err, ErrMemory) {
		t.Errorf("one byte less: %v", err)
	}
}

// A kernel without XDP or BTF, a user without rights, and memory that a cgroup limits are told apart.
func TestKernelRefusals(t *testing.T) {
	for _, c := range []struct{ in, want error }{
		{fmt.Errorf("probe: %w", ebpf.ErrNotSupported), ErrUnsupported},
		{syscall.ENOSYS, ErrUnsupported},
		{syscall.EPERM, ErrPermission},
		{syscall.ENOMEM, ErrMemory},
	} {
		got := explain(c.in)
		if !errors.Is(got, c.want) || !errors.Is(got, c.in) {
			t.Errorf("%v is explained as %v", c.in, got)
		}
		for _, other := range []error{ErrUnsupported, ErrPermission, ErrMemory} {
			if other != c.want && errors.Is(got, other) {
				t.Errorf("%v is explained as %v", c.in, got)
			}
		}
	}
	if err := errors.New("else"); explain(err) != err {
		t.Error("another error is changed")
	}
	if !strings.Contains(ErrUnsupported.Error(), "Linux 5.9") {
		t.Error("the message names no kernel")
	}
}
