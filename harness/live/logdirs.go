package live

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
)

// LogDirs are the directories that [WithLogs] has made and not removed. A program that ends before WithLogs
// returns removes them with [LogDirs.Remove]. The zero value has none.
type LogDirs struct {
	mu      sync.Mutex
	dirs    map[string]bool
	removed bool
}

type logDirsKey struct{}

// In returns a context with which WithLogs says what it makes.
func (d *LogDirs) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, logDirsKey{}, d)
}

// logDirsOf returns those of a context; where it has none, some that nobody asks.
func logDirsOf(ctx context.Context) *LogDirs {
	if d, ok := ctx.Value(logDirsKey{}).(*LogDirs); ok {
		return d
	}
	return &LogDirs{}
}

// add makes a directory for temporary files, which stands here until it is dropped. It makes none behind Remove.
func (d *LogDirs) add(pattern string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.removed {
		return "", errors.New("the program is about to end")
	}
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", err
	}
	if d.dirs == nil {
		d.dirs = map[string]bool{}
	}
	d.dirs[dir] = true
	return dir, nil
}

func (d *LogDirs) drop(dir string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.dirs, dir)
}

// Remove removes all of them, with what is in them. It goes on to the end and joins the errors. WithLogs
// makes none any more.
func (d *LogDirs) Remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.removed = true
	var errs []error
	for _, dir := range slices.Sorted(maps.Keys(d.dirs)) {
		errs = append(errs, os.RemoveAll(dir))
	}
	return errors.Join(errs...)
}
