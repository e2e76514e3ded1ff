package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WithLogs gives run a directory for Options.Logs, whose name begins with "inalab-" and
// command, in that for temporary files. It stays only if run fails, not for being
// interrupted by ctx, and there is something to read in it; then the error says where. The
// [LogDirs] of ctx have it until it is removed, or is to stay.
func WithLogs(ctx context.Context, command string, run func(dir string) error) error {
	dirs := logDirsOf(ctx)
	dir, err := dirs.add("inalab-" + command + "-")
	if err != nil {
		return fmt.Errorf("making a directory for logs: %w", err)
	}
	defer dirs.drop(dir)
	err = run(dir)
	if err != nil && ctx.Err() == nil && anyText(dir) {
		return fmt.Errorf("%w (logs in %s)", err, dir)
	}
	if gone := os.RemoveAll(dir); gone != nil {
		err = errors.Join(err, fmt.Errorf("removing the logs: %w", gone))
	}
	return err
}

// anyText reports whether a file in dir holds anything, or might.
func anyText(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return true
	}
	for _, f := range files {
		if i, err := os.Stat(f); err != nil || i.IsDir() || i.Size() > 0 {
			return true
		}
	}
	return false
}
