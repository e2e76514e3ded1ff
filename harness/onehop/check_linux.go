//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cilium/ebpf"

	"github.com/inalab/inalab/switchd/program/xagg"
	"github.com/inalab/inalab/switchd/xdp"
)

// summed has elements.
type summed interface {
	sum(gradient uint32) (xagg.Element, error)
}

// checked is how many elements are looked at after a measurement.
const checked = 256

// check compares elements that were used with what the worker sent.
func check(a summed, values int) (wrong, n int, err error) {
	for g := uint32(1); g <= checked; g++ {
		var e xagg.Element
		if e, err = a.sum(g); err != nil || e.Bitmap == 0 {
			return wrong, n, err
		}
		for at := stamped; at < values; at++ {
			n++
			if e.Values[at] != value(at) {
				wrong++
			}
		}
	}
	return wrong, n, nil
}

// explain says what a refusal of the kernel means to a user.
func explain(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrPermission), errors.Is(err, ErrUnsupported):
		return err
	case errors.Is(err, fs.ErrPermission), errors.Is(err, xdp.ErrPermission):
		return fmt.Errorf("%w (%w)", ErrPermission, err)
	case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, ebpf.ErrNotSupported), errors.Is(err, xdp.ErrUnsupported):
		return fmt.Errorf("%w (%w)", ErrUnsupported, err)
	}
	return err
}
