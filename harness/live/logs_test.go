package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Logs stay where something failed and something was written, and nowhere else.
func TestLogsStayWhereTheyCanBeRead(t *testing.T) {
	failed := errors.New("failed")
	for name, tc := range map[string]struct {
		text        string
		err         error
		interrupted bool
		stay        bool
	}{
		"all is well":       {"said", nil, false, false},
		"failed in silence": {"", failed, false, false},
		"failed with words": {"said", failed, false, true},
		"interrupted":       {"said", failed, true, false},
	} {
		t.Setenv("TMPDIR", t.TempDir())
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		var dir string
		err := WithLogs(ctx, "test", func(d string) error {
			dir = d
			if werr := os.WriteFile(filepath.Join(d, "h0.log"), []byte(tc.text), 0o600); werr != nil {
				t.Fatal(werr)
			}
			if tc.interrupted {
				interrupt()
			}
			return tc.err
		})
		_, gone := os.Stat(dir)
		if !errors.Is(err, tc.err) || (gone == nil) != tc.stay {
			t.Errorf("%s: %v, directory %v", name, err, gone)
		}
		if err != nil && strings.Contains(err.Error(), dir) != tc.stay {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A program that ends before WithLogs returns leaves nothing behind, and makes nothing more; what is to stay stays.
func TestLogDirsAreRemoved(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var dirs LogDirs
	ctx, failed := dirs.In(t.Context()), errors.New("failed")
	write := func(d string) {
		if err := os.WriteFile(filepath.Join(d, "h0.log"), []byte("said"), 0o600); err != nil {
			t.Error(err)
		}
	}
	if err := WithLogs(ctx, "stays", func(d string) error { write(d); return failed }); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	err := WithLogs(ctx, "one", func(one string) error {
		write(one)
		return WithLogs(ctx, "two", func(two string) error {
			write(two)
			return errors.Join(dirs.Remove(), failed)
		})
	})
	left, _ := filepath.Glob(filepath.Join(tmp, "*"))
	if !errors.Is(err, failed) || len(left) != 1 || !strings.Contains(left[0], "inalab-stays-") {
		t.Errorf("%v; %q is left", err, left)
	}
	if err := WithLogs(ctx, "three", func(string) error { t.Error("a directory behind the end"); return nil }); err == nil {
		t.Error("no error")
	}
}
