package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"

	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
	"github.com/inalab/inalab/packaging/wireshark"
)

// startCapturedLab starts a run of minutes, of SwitchML with two hosts.
func startCapturedLab(t *testing.T, more ...string) *switchRun {
	t.Helper()
	return startLab(t, nil, exitInterrupted, append([]string{
		"run", "straggler", "--out", "results", "--set", "hosts=2", "--set", "iterations=2000", "--set", "scale=2000",
		"--set", "stragglers.p=[0%]", "--set", "switchml.pipe=reference", "--set", "systems=[{system: switchml256, topology: rack}]",
	}, more...)...)
}

// tsharkOf is tshark with the dissector; the test is skipped where it is not here.
func tsharkOf(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not here (Debian, Ubuntu: apt-get install tshark)")
	}
	script := filepath.Join(t.TempDir(), "inalab.lua")
	if err := os.WriteFile(script, []byte(wireshark.Lua()), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.Command(program, append([]string{"-r", "-", "-X", "lua_script:" + script, "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"}, args...)...)
}

// The packets of a running lab go through a pipe into tshark, which reads slots, decisions, and
// checksums that are right.
func TestCaptureIntoTshark(t *testing.T) {
	needRoot(t)
	longLive(t)
	tshark := tsharkOf(t, "-T", "fields", "-E", "separator=|", "-e", "ina_switchml.slot", "-e", "udp.checksum.status", "-e", "ip.checksum.status", "-e", "frame.comment")
	r := startCapturedLab(t)
	capturing := r.command("capture", "tor", "-w", "-", "--count", "400", "--filter", "proto=switchml")
	pipe, err := capturing.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said, wrong, out bytes.Buffer
	capturing.Stderr, tshark.Stderr, tshark.Stdin, tshark.Stdout = &said, &wrong, pipe, &out
	if err := capturing.Start(); err != nil {
		t.Fatal(err)
	}
	if err := tshark.Run(); err != nil {
		t.Errorf("tshark: %v\n%s", err, wrong.String())
	}
	if err := capturing.Wait(); err != nil {
		t.Errorf("capture: %v\n%s", err, said.String())
	}
	checkTshark(t, out.String())
	if !strings.Contains(said.String(), "capturing tor of lab "+r.lab+" at 2 ports") || !strings.Contains(said.String(), "400 were taken, 400 written") {
		t.Errorf("it says\n%s", said.String())
	}
}

func checkTshark(t *testing.T, out string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 400 {
		t.Errorf("%d lines", len(lines))
	}
	added, sent := 0, 0
	for _, line := range lines {
		cells := strings.SplitN(line, "|", 4)
		if len(cells) != 4 || cells[0] == "" || cells[1] != "1" || cells[2] != "1" {
			t.Fatalf("slot, checksums of UDP and IP: %s", line)
		}
		slot := "slot=" + cells[0] + " "
		switch {
		case strings.Contains(cells[3], "decision=added") && strings.Contains(cells[3], slot):
			added++
		case strings.Contains(cells[3], "decision=sent") && strings.Contains(cells[3], slot):
			sent++
		case cells[3] != "":
			t.Errorf("comment %s", line)
		}
	}
	if added < 50 || sent < 50 {
		t.Errorf("%d packets were added and %d sent, of 400", added, sent)
	}
}

// A capture to a file names what is wrong, ends with its lab, and does not keep the lab.
func TestCaptureOfARunningLab(t *testing.T) {
	needRoot(t)
	r := startCapturedLab(t)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, `lab ` + r.lab + ` has no node "torr": there are tor, h0, h1; did you mean "tor"?`, []string{"torr"}},
		{exitUsage, `node tor has no port "p7": there are p0, p1`, []string{"tor:p7"}},
		{exitUsage, `"tor:" names no port behind the colon: write tor for all of them, or one of them`, []string{"tor:"}},
		{exitUsage, `no lab that runs is called "nowhere"`, []string{"tor", "--lab", "nowhere"}},
	} {
		cmd := r.command(append([]string{"capture", "-w", "-"}, c.args...)...)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = io.Discard, &said
		_ = cmd.Run() // its code is looked at
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(said.String(), c.want) {
			t.Errorf("%v: code %d: %s", c.args, code, &said)
		}
	}
	stranger := r.command("capture", "tor", "-w", "-")
	stranger.SysProcAttr = ordinary()
	if err := os.Chmod(r.state, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, _ := stranger.CombinedOutput(); stranger.ProcessState.ExitCode() != exitPreflight || !strings.Contains(string(out), "capturing needs root") {
		t.Errorf("without root: %s", out)
	}
	captureToTheEnd(t, r)
}

// captureToTheEnd captures at a host until the lab has ended.
func captureToTheEnd(t *testing.T, r *switchRun) {
	t.Helper()
	path := filepath.Join(filepath.Dir(r.state), "h1.pcapng")
	cmd := r.command("capture", "h1:eth0", "-w", path)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.until("packets are in the file", func() bool { st, err := os.Stat(path); return err == nil && st.Size() > 1<<16 })
	r.end()
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "lab "+r.lab+" has ended") {
		t.Errorf("capture: %v\n%s", err, &said)
	}
}

// A run that captures itself has the packets of all wires, and says that it is not for timing.
func TestRunCapturesLive(t *testing.T) {
	needRoot(t)
	longLive(t)
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := inalab(state, "run", "straggler", "--out", "results", "--quiet", "--pcap", "run.pcapng", "--set", "hosts=2", "--set", "iterations=2", "--set", "scale=2000",
		"--set", "stragglers.p=[0%]", "--set", "systems=[{system: trioml, topology: rack}]")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitOK && code != exitInvalid {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "captures: run.pcapng: ") || !strings.Contains(string(out), " 0 packets were lost") {
		t.Errorf("it says\n%s", out)
	}
	fidelity, err := os.ReadFile(filepath.Join(dir, "results", "latest", "fidelity.json"))
	if err != nil || !strings.Contains(string(fidelity), "packets were captured: not for timing") {
		t.Errorf("fidelity: %v\n%s", err, fidelity)
	}
	checkRunCapture(t, filepath.Join(dir, "run.pcapng"))
}

func checkRunCapture(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := pcapgo.NewNgReader(file, pcapgo.NgReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	frames, decided, sent, last := 0, 0, 0, int64(0)
	for {
		data, info, options, err := r.ReadPacketDataWithOptions()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pcapfiletest.Verify(data); err != nil {
			t.Fatal(err)
		}
		if at := info.Timestamp.UnixNano(); at < last {
			t.Errorf("frame %d is %d ns older than the one before", frames, last-at)
		} else {
			last = at
		}
		frames++
		text := strings.Join(options.Comments, " ")
		switch { // a block may age on a machine that is slow, and what comes then is late
		case strings.Contains(text, "decision=sent"):
			sent++
		case strings.Contains(text, "decision="):
			decided++
		}
	}
	const others = 4 // frames of the kernels, such as those that look for neighbours
	if decided < 20 || sent < 20 || decided+sent < frames-others {
		t.Errorf("%d frames, of %d of which switches say what came of them, and of %d that they sent them", frames, decided, sent)
	}
}

// In a lab for clients of one's own, packets of a job that was added have decisions, too.
func TestCaptureOfServe(t *testing.T) {
	needRoot(t)
	longLive(t)
	hosts := hostsOf(t, "rack", 2)
	r := startLab(t, nil, exitOK, "switch", "serve", "--hosts", "2", "--pipe", "reference")
	r.say("job", "add", "--id", "2", "--sources", "0,1", "--slots", "16", "--elements", "64")
	path := filepath.Join(filepath.Dir(r.state), "serve.pcapng")
	cmd := r.command("capture", "tor", "-w", path, "--filter", "proto=switchml", "--count", "4")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.until("the capture has begun", func() bool { _, err := os.Stat(path); return err == nil && fileSize(path) > 0 })
	r.update(&hosts[1])
	r.until("the packet has come", func() bool { return r.jobs()["engine/2"].Packets == 1 })
	r.update(&hosts[0])
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"decision=added switch=tor job=2 slot=0 gen=0 source=1 bitmap=0b10 count=1", "decision=added switch=tor job=2 slot=0 gen=0 source=0 bitmap=0b11 count=2",
		"decision=sent switch=tor job=2 slot=0 gen=0 bitmap=0b11 count=2",
	} {
		if !strings.Contains(string(file), want) {
			t.Errorf("the capture lacks %s\n%s", want, &said)
		}
	}
}

func fileSize(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}
