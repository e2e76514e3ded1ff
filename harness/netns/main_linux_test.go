package netns

import (
	"fmt"
	"os"
	"testing"

	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// envRole makes the test binary play a part instead of running tests.
const envRole = "NETNS_TEST_ROLE"

const (
	roleHarness  = "harness"  // brings a lab up and then waits to be killed
	roleSleeper  = "sleeper"  // waits for the end of its input
	roleRootless = "rootless" // enters a user namespace and uses a lab there
	roleSignal   = "signal"   // enters a user namespace and waits for SIGTERM
)

func TestMain(m *testing.M) {
	role := os.Getenv(envRole)
	play := map[string]func() (int, error){
		roleHarness: playHarness, roleSleeper: playSleeper, roleRootless: playRootless, roleSignal: playSignal,
	}[role]
	if play == nil {
		os.Exit(m.Run())
	}
	code, err := play()
	if err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
	}
	os.Exit(code)
}

// needRoot skips a test that cannot run, or fails it where it must.
func needRoot(tb testing.TB) {
	tb.Helper()
	netnstest.Require(tb, CanRoot())
}
