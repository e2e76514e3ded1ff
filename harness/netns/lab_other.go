//go:build !linux

package netns

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// errNeedsLinux is what everything here answers elsewhere.
var errNeedsLinux = fmt.Errorf("%w: they, veth and packet sockets need Linux, and this is %s: run it on a Linux host, or here with --clock virtual", ErrNoPrivilege, runtime.GOOS)

// CanRoot says that this needs Linux.
func CanRoot() error { return errNeedsLinux }

// CanUserNamespace says that this needs Linux.
func CanUserNamespace() error { return errNeedsLinux }

// Enter returns an error, which wraps [ErrNoPrivilege]: this needs Linux.
func Enter() (code int, done bool, err error) { return 0, false, errNeedsLinux }

// Up returns an error, once the spec is right: this needs Linux.
func Up(_ context.Context, spec Spec, opts Options) (*Lab, error) {
	return nil, errors.Join(spec.normalise(), opts.normalise(), errNeedsLinux)
}

// Do returns an error: this needs Linux.
func (*Lab) Do(string, func() error) error { return errNeedsLinux }

// dropAll has nothing to drop: no lab was ever made here.
func dropAll([]string) (int, error) { return 0, nil }

// programs has nowhere to look.
func programs([]place) []Program { return nil }
