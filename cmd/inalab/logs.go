package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// withLogs gives run a directory for the logs of processes, whose name begins with
// "inalab-" and command. It stays only if run fails and there is something to read in
// it; then the error says where.
func withLogs(command string, run func(dir string) error) error {
	dir, err := os.MkdirTemp("", "inalab-"+command+"-")
	if err != nil {
		return fmt.Errorf("making a directory for logs: %w", err)
	}
	if err := run(dir); err != nil {
		if !anyText(dir) {
			os.RemoveAll(dir) // what failed is the error to tell
			return err
		}
		return fmt.Errorf("%w (logs in %s)", err, dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing the logs: %w", err)
	}
	return nil
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
