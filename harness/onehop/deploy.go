package onehop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/inalab/inalab/switchd/xdp"
)

// ErrNoCompiler is that of a machine without clang.
var ErrNoCompiler = errors.New("compiling an aggregator needs clang, and it is not in PATH (Debian: apt-get install clang-14)")

// compilers are the names that are looked for.
var compilers = []string{"clang-14", "clang"}

// Compile compiles the XDP program in a directory of its own, and returns how long clang took.
func Compile(ctx context.Context) (took time.Duration, err error) {
	clang := ""
	for _, name := range compilers {
		if clang, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if clang == "" {
		return 0, ErrNoCompiler
	}
	dir, err := os.MkdirTemp("", "inalab-compile-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, xdp.Source()); err != nil {
		return 0, err
	}
	args := append(xdp.CompilerFlags(), "aggregator.c", "-o", filepath.Join(dir, "aggregator.o"))
	cmd := exec.CommandContext(ctx, clang, args...)
	cmd.Dir = dir
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("compile the aggregator: %w: %s", err, out)
	}
	return time.Since(began), nil
}
