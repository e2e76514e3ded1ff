package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// envHarness makes the test binary a harness that is going to be killed.
const envHarness = "PROC_TEST_HARNESS"

func TestMain(m *testing.M) {
	if kind, _, ok := Requested(os.Args); ok {
		os.Exit(playNode(kind))
	}
	if log := os.Getenv(envHarness); log != "" {
		os.Exit(playHarness(log))
	}
	os.Exit(m.Run())
}

type nodeConfig struct {
	Samples int    `json:"samples"`
	Pad     string `json:"pad"`
}

type nodeResult struct {
	NetNS   string `json:"netns"`
	EpochNS int64  `json:"epoch_ns"`
	Pad     int    `json:"pad"`
	Cause   string `json:"cause"`
}

// playNode is a node of the given kind; kinds differ in how they misbehave.
func playNode(kind string) int {
	if kind == "early" {
		fmt.Fprintln(os.Stderr, "no such card")
		return 3
	}
	c, err := Child()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var cfg nodeConfig
	if err := c.Config(&cfg); err != nil {
		_ = c.Fail(err)
		return 1
	}
	switch kind {
	case "garbage":
		_, _ = c.reports.WriteString("{\"kind\":\"ready\"}\nnot a report\n")
		<-c.Context().Done()
		return 0
	case "mute": // is never ready
		<-c.Context().Done()
		return 0
	case "stubborn":
		signal.Ignore(unix.SIGTERM)
	case "parent": // leaves a process behind that holds no pipe of ours
		cmd := exec.Command("/proc/self/exe", "node", "idle", "idle")
		if err := errors.Join(cmd.Start(), c.Report(ReportProgress, cmd.Process.Pid)); err != nil {
			return 1
		}
	}
	if err := c.Ready(); err != nil {
		return 1
	}
	return run(c, kind, cfg)
}

func run(c *ChildSide, kind string, cfg nodeConfig) int {
	result := nodeResult{Pad: len(cfg.Pad)}
	result.NetNS, _ = os.Readlink("/proc/self/ns/net")
	for command := range c.Commands() {
		switch {
		case kind == "stubborn":
			_ = c.Report(ReportProgress, "no")
			select {}
		case kind == "crash":
			fmt.Fprintln(os.Stderr, strings.Repeat("early line\n", 200))
			panic("out of luck")
		case kind == "failing":
			_ = c.Fail(errors.New("link eth0 went away"))
			return 1
		case kind == "lacking":
			_ = c.Fail(fmt.Errorf("h3: %w", lack{}))
			return 1
		case command.Name == CommandStart:
			result.EpochNS = command.EpochNS
			for i := range cfg.Samples {
				if err := c.Report(ReportSample, i); err != nil {
					return 1
				}
			}
			if kind == "waiting" {
				continue
			}
			_ = c.Done(result)
			return 0
		}
	}
	result.Cause = fmt.Sprint(context.Cause(c.Context()))
	_ = c.Done(result)
	return 0
}

// playHarness starts a stubborn child, prints its pid and never ends.
func playHarness(log string) int {
	s := NewSupervisor(Config{})
	p, err := s.Start(context.Background(), Spec{Node: "h1", Kind: "stubborn", Config: nodeConfig{}, Log: log})
	if err == nil {
		err = p.WaitReady(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(p.PID())
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 1
}

// decode is for reports of simple data.
func decode[T any](t *testing.T, r Report) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

const patience = 10 * time.Second // of tests, with a busy machine

// lack is an error of a machine without XDP.
type lack struct{}

func (lack) Error() string { return "no XDP here" }
func (lack) Lacking() bool { return true }
