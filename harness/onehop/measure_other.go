//go:build !linux || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64)

package onehop

import "context"

// Measure returns [ErrUnsupported].
func Measure(context.Context, Config) (r Result, err error) { return r, ErrUnsupported }
