package golden

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// recorder is a test that takes down why it would have failed.
type recorder struct {
	testing.TB
	failures []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// Fatalf does not return, as that of a test does not.
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// equal runs Equal for a test of its own and returns how that failed.
func equal(t *testing.T, name, got string) string {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != r {
				panic(p)
			}
		}()
		Equal(r, name, got)
	}()
	return strings.Join(r.failures, "\n")
}

func setUpdate(t *testing.T, on bool) {
	before := *update
	*update = on
	t.Cleanup(func() { *update = before })
}

func TestEqual(t *testing.T) {
	t.Chdir(t.TempDir())
	setUpdate(t, false)
	if got := equal(t, "deep/a.txt", "one\n"); !strings.Contains(got, "testdata/deep/a.txt") || !strings.Contains(got, "-update") {
		t.Errorf("a file that is missing: %q", got)
	}
	setUpdate(t, true)
	if got := equal(t, "deep/a.txt", "one\n"); got != "" {
		t.Errorf("with -update: %s", got)
	}
	setUpdate(t, false)
	if got := equal(t, "deep/a.txt", "one\n"); got != "" {
		t.Errorf("the same again: %s", got)
	}
	if got := equal(t, "deep/a.txt", "two\n"); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("another content: %q names not both", got)
	}
	if kept, err := os.ReadFile("testdata/deep/a.txt"); err != nil || string(kept) != "one\n" {
		t.Errorf("without -update the file became %q, %v", kept, err)
	}
}
