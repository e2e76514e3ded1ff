package main

import (
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
		text string
		err  error
		stay bool
	}{
		"all is well":       {"said", nil, false},
		"failed in silence": {"", failed, false},
		"failed with words": {"said", failed, true},
	} {
		t.Setenv("TMPDIR", t.TempDir())
		var dir string
		err := withLogs("test", func(d string) error {
			dir = d
			if werr := os.WriteFile(filepath.Join(d, "h0.log"), []byte(tc.text), 0o600); werr != nil {
				t.Fatal(werr)
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
