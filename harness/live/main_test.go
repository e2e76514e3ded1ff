package live

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/result"
)

// longEnough is how long a test waits for what must come, on a busy machine.
const longEnough = 20 * time.Second

// Environment of a test binary that plays a harness which is going to be killed.
const (
	envHarness = "LIVE_TEST_HARNESS" // name of its lab
	envState   = "LIVE_TEST_STATE"   // directory of its journal
	envLogs    = "LIVE_TEST_LOGS"
)

// envInside makes a test binary that an ordinary user runs go into a user
// namespace first, in which it can do what root can.
const envInside = "LIVE_TEST_INSIDE"

func TestMain(m *testing.M) {
	if code, ok := node.Main(os.Args, testSystems()); ok {
		os.Exit(code)
	}
	if ok, err := playProgram(os.Args); ok {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(envInside) != "" {
		code, done, err := netns.Enter()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if done {
			os.Exit(code)
		}
	}
	if lab := os.Getenv(envHarness); lab != "" {
		if err := playHarness(lab); err != nil {
			fmt.Fprintln(os.Stderr, "harness:", err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// playHarness runs a job that is far from its end when the harness is killed,
// and says once that it is under way.
func playHarness(lab string) error {
	j, err := newJob(scene{system: trioml.System{}, topology: "mx480", iterations: 10_000})
	if err != nil {
		return err
	}
	said := false
	_, err = RunJob(context.Background(), j, Options{
		Lab: lab, Logs: os.Getenv(envLogs), NetNS: netns.Options{StateDir: os.Getenv(envState)},
		Progress: func([]result.Sample) {
			if !said {
				fmt.Println("training")
				said = true
			}
		},
	})
	return err
}

// heavy skips a test of speed or of many runs where the race detector makes it
// many times slower: "make race" asks for short tests.
func heavy(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("many times slower under the race detector, which short runs of others here exercise as well")
	}
}

// needRoot skips a test that cannot run, or fails it where it must.
func needRoot(tb testing.TB) {
	tb.Helper()
	netnstest.Require(tb, netns.CanRoot())
}
