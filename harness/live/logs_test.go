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
