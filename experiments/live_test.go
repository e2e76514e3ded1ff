package experiments

import (
	"os"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/node"
)

// The processes of live runs are this binary.
func TestMain(m *testing.M) {
	if code, ok := node.Main(os.Args, job.Systems()); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
