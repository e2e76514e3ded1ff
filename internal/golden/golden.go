package golden

import (
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

// Updating reports whether the test runs with -update, for tests with golden
// files of another kind.
func Updating() bool { return *update }

// Equal fails the test where got differs from testdata/name, which it first
// rewrites if the test runs with -update.
func Equal(tb testing.TB, name, got string) {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("%v; if the file is new, run with -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		tb.Errorf("%s differs (-want +got); if it is meant to, run with -update:\n%s", path, diff)
	}
}

// Hex returns the bytes of hexadecimal digits, between which there may be white space.
func Hex(tb testing.TB, digits string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
