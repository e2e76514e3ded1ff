package netnstest

import (
	"errors"
	"os"
	"testing"
)

// EnvRequireRoot is the variable that, set to 1, turns each skip for want of
// root into a failure.
const EnvRequireRoot = "INALAB_REQUIRE_ROOT"

var errNotRoot = errors.New("needs root to make network namespaces")

// RequireRoot skips a test that root does not run, or fails it where it must not
// be skipped.
func RequireRoot(tb testing.TB) {
	tb.Helper()
	if os.Geteuid() != 0 {
		Require(tb, errNotRoot)
	}
}

// Require skips a test that cannot run because of err, or fails it where it must
// not be skipped; nil lets it run.
func Require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case os.Getenv(EnvRequireRoot) == "1":
		tb.Fatalf("%v, and %s=1 forbids to skip", err, EnvRequireRoot)
	default:
		tb.Skip(err)
	}
}
