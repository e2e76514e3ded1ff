package pipeline

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets more garbage gather: each test makes chips with registers of megabytes, which are soon garbage, and the
// collector would take a fifth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
