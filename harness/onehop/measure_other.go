//go:build !linux || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64)

package onehop

import (
	"context"
	"time"
)

// Measure returns [ErrUnsupported].
func Measure(context.Context, Config) (r Result, err error) { return r, ErrUnsupported }

// Deploy returns [ErrUnsupported].
func Deploy(int) (time.Duration, error) { return 0, ErrUnsupported }
