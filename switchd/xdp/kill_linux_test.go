package xdp

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// envAttached makes this test binary a process that attaches an aggregator to an interface, and waits.
const envAttached = "XDP_TEST_ATTACH"

func TestMain(m *testing.M) {
	if iface := os.Getenv(envAttached); iface != "" {
		fmt.Fprintln(os.Stderr, attachAndWait(iface))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// attachAndWait ends when it is killed.
func attachAndWait(iface string) error {
	a, err := Load(Options{Config: smallest()})
	if err != nil {
		return err
	}
	if _, err := a.Attach(iface, Probe); err != nil {
		return err
	}
	fmt.Println("attached")
	_, err = os.Stdin.Read(make([]byte, 1))
	return errors.Join(err, a.Close())
}

// The kernel detaches the program of a process that gets SIGKILL, and frees its maps: nothing is pinned.
func TestKilledProcessLeavesNothing(t *testing.T) {
	l := newLab(t, 1500)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), envAttached+"="+serverEnd(0))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	netnstest.In(t, l.server, cmd.Start)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	before := l.attached(t)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil || line != "attached\n" || len(before) != 1 {
		t.Fatalf("the process says %q %v, and programs are on %v", line, err, before)
	}
	for limit := time.Now().Add(patience); l.attached(t) != nil; {
		if time.Now().After(limit) {
			t.Fatalf("a program is left on %v", l.attached(t))
		}
	}
}
