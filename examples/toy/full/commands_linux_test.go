package full_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"

	"github.com/inalab/inalab/examples/toy"
	"github.com/inalab/inalab/examples/toy/full"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// Every command that takes a system takes the toy.
func TestCommands(t *testing.T) {
	p := build(t)
	scenario, err := filepath.Abs("../toy.scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("list", func(t *testing.T) {
		p.says([]string{"list"}, "stop-and-wait: one block at a time")
	})
	t.Run("run", func(t *testing.T) {
		p.says([]string{"run", scenario, "--clock", "virtual"}, "| toy    | 0 | 167.0 ", "   0/114570 |")
	})
	t.Run("table", func(t *testing.T) { // beside others, without a section of its own
		p.says([]string{"run", "straggler", "--clock", "virtual", "--set", "iterations=2", "--set", "stragglers.p=[0%]", "--set", "scale=20000",
			"--set", "systems=[{system: toy, topology: rack},{system: trioml, topology: rack},{system: ring, topology: rack}]", "--format", "csv"},
			"\nideal,", "\nring,", "\ntrioml,", "\ntoy,")
		if rank := job.Rank(full.New()); rank <= job.RankInNetwork || rank >= job.Unranked {
			t.Errorf("the toy has rank %d", rank)
		}
	})
	t.Run("bench sim", func(t *testing.T) {
		p.says([]string{"bench", "sim", "--system", "toy", "--workers", "2", "--size", "1M", "--iters", "8", "--repeat", "1"}, "| toy    | 2 | payload |", "| toy    | 2 | lengths |", "#wrong 0")
	})
	t.Run("bench allreduce", func(t *testing.T) {
		netnstest.Require(t, netns.CanRoot())
		p.says([]string{"bench", "allreduce", "--system", "toy", "--workers", "2", "-b", "64K", "-e", "64K", "-n", "2"}, "system toy, n 2, type int32", "| 65536 |    16384 |", " |      0 |")
	})
	t.Run("switch job", func(t *testing.T) {
		netnstest.Require(t, netns.CanRoot())
		runtimeJob(t, p, scenario)
	})
}

// Tests of others that go through the list pass, so that they need no change for the toy. The page of all fields and the
// schema of scenarios are made again for a system with knobs, by make generate.
func TestOtherTests(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", overlay(t, t.TempDir()), "-skip", "^(TestFieldsPage|TestSchema)$", "./scenarios", "./harness/job", "./harness/system")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// runtimeJob gives the switch of a run a second job, which then adds up packets.
func runtimeJob(t *testing.T, p program, scenario string) {
	lab := netns.NewLabName()
	run := p.command("run", scenario, "--quiet", "--lab", lab, "--set", "hosts=2", "--set", "iterations=2000")
	var stderr bytes.Buffer
	run.Stderr = &stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Process.Signal(syscall.SIGINT); err != nil {
			t.Error(err)
		}
		if err := run.Wait(); run.ProcessState.ExitCode() != 130 {
			t.Errorf("the run ended with %v\n%s", err, stderr.String())
		}
	})
	jobs := []string{"switch", "job", "ls", "--format", "csv"}
	until(t, func() bool { return p.command(jobs...).Run() == nil })
	p.says([]string{"switch", "job", "add", "--id", "2", "--sources", "0,1", "--values", "3"}, "| workers | ports | results to  |", "|       2 | p0,p1 | 239.255.0.2 |")
	for _, h := range jobtest.Plan(t, "rack", 2).Hosts {
		contribute(t, netns.Path(lab, h.Name), h.Gateway, 3)
	}
	until(t, func() bool { out, _ := p.command(jobs...).Output(); return strings.Contains(string(out), ",2,2,3,1\n") })
	p.refuses([]string{"switch", "job", "add", "--id", "2", "--sources", "0"}, "id-taken: there is a job 2 on tor: remove it first, or take another id")
	p.refuses([]string{"switch", "job", "add", "--id", "3", "--sources", "0", "--slots", "8"}, "other-protocol: a job of SwitchML is for another program: tor speaks toy")
	p.refuses([]string{"switch", "job", "add", "--id", "3", "--sources", "5"}, "bad-source: job 3: source 5 is no host of tor, which has hosts 0, 1")
	p.refuses([]string{"switch", "job", "add", "--id", "3", "--sources", "0", "--values", "3", "--slots", "8"}, "--slots is of jobs of SwitchML, --values of those of toy: leave one of them out")
	p.says([]string{"switch", "job", "rm", "2"}, "job 2, removed from tor")
	p.refuses([]string{"switch", "job", "rm", "2"}, "there is no job 2 on tor")
}

// contribute sends block 0 of job 2 from a namespace.
func contribute(t *testing.T, path string, gateway netip.Addr, values int) {
	t.Helper()
	block := append(binary.BigEndian.AppendUint64(nil, 0), make([]byte, 4*values)...)
	err := ns.WithNetNSPath(path, func(ns.NetNS) error {
		conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(gateway, toy.Port+1)))
		if err != nil {
			return err
		}
		_, err = conn.Write(block)
		return errors.Join(err, conn.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for what other processes bring about.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("not within 30s")
		}
	}
}
