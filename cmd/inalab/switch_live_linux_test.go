package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/wire/switchml"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// switchRun is a live lab, and somebody who speaks with its switch from outside.
type switchRun struct {
	t      *testing.T
	run    *exec.Cmd
	stderr bytes.Buffer
	state  string
	lab    string
	as     *syscall.SysProcAttr // of every process of the test
	code   int                  // that the lab ends with
	ended  bool                 // it is over
}

// What the PFEs of a run are.
const (
	pfeReference = "reference"
	pfeMicrocode = "microcode"
)

// ordinary makes a process that of an ordinary user.
func ordinary() *syscall.SysProcAttr {
	const nobody = 65534
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// startSwitch starts a run of minutes, of Trio-ML with a host on each of two PFEs.
func startSwitch(t *testing.T, pfe string, as *syscall.SysProcAttr) *switchRun {
	t.Helper()
	return startLab(t, as, exitInterrupted, "run", "straggler", "--out", "results", "--set", "hosts=2", "--set", "iterations=2000", "--set", "scale=2000",
		"--set", "stragglers.p=[0%]", "--set", "trio.pfe="+pfe, "--set", "systems=[{system: trioml, topology: mx480}]")
}

// startLab starts a lab by a command, and waits until its switch can be asked. It
// is ended, with a code, and has left nothing behind, when the test ends.
func startLab(t *testing.T, as *syscall.SysProcAttr, code int, args ...string) *switchRun {
	t.Helper()
	return startLabInto(t, nil, as, code, args...)
}

// startLabInto is startLab of a command whose output is wanted; nil: it is not.
func startLabInto(t *testing.T, stdout *os.File, as *syscall.SysProcAttr, code int, args ...string) *switchRun {
	t.Helper()
	dir, err := os.MkdirTemp("", "inalab-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := &switchRun{t: t, state: filepath.Join(dir, "state"), lab: netns.NewLabName(), as: as, code: code}
	if err := errors.Join(os.Mkdir(r.state, 0o700), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if as != nil {
		if err := errors.Join(os.Chown(r.state, int(as.Credential.Uid), -1), os.Chown(dir, int(as.Credential.Uid), -1)); err != nil {
			t.Fatal(err)
		}
	}
	r.run = r.command(append(args, "--lab", r.lab)...)
	r.run.Stderr = &r.stderr
	if stdout != nil {
		r.run.Stdout = stdout
	}
	if err := r.run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.end)
	r.until("the switch can be asked", func() bool { _, err := r.command("switch", "show", "stats").Output(); return err == nil })
	return r
}

func (r *switchRun) command(args ...string) *exec.Cmd {
	cmd := inalab(r.state, args...)
	cmd.SysProcAttr = r.as
	cmd.Dir = filepath.Dir(r.state)
	return cmd
}

// until waits for a condition that other processes bring about.
func (r *switchRun) until(what string, ok func() bool) {
	r.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			r.t.Fatalf("%s: not within 30s", what)
		}
	}
}

func (r *switchRun) end() {
	if r.ended {
		return
	}
	r.ended = true
	if err := r.run.Process.Signal(syscall.SIGINT); err != nil {
		r.t.Error(err)
	}
	if err := r.run.Wait(); r.run.ProcessState.ExitCode() != r.code {
		r.t.Errorf("the run ended with %v\n%s", err, r.stderr.String())
	}
	if left, err := os.ReadDir(r.state); !errors.Is(err, fs.ErrNotExist) && len(left) > 0 {
		r.t.Errorf("left behind: %v", left)
	}
}

// say runs "inalab switch ..." and returns what it prints.
func (r *switchRun) say(args ...string) string {
	r.t.Helper()
	var stderr bytes.Buffer
	cmd := r.command(append([]string{"switch"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("inalab switch %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// refused runs it, wants an exit code, and returns the error.
func (r *switchRun) refused(code int, args ...string) string {
	r.t.Helper()
	var stderr bytes.Buffer
	cmd := r.command(append([]string{"switch"}, args...)...)
	cmd.Stderr = &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
		r.t.Errorf("inalab switch %v: %v, want code %d\n%s", args, err, code, stderr.String())
	}
	return stderr.String()
}

// jobRow is what the test reads of "switch job ls".
type jobRow struct {
	PFE     string `json:"pfe"`
	Job     int    `json:"job"`
	Results uint64 `json:"results"`
	Packets uint64 `json:"packets"`
	Sources string `json:"source_ids"`
}

func (r *switchRun) jobs() map[string]jobRow {
	r.t.Helper()
	var doc struct{ Rows []jobRow }
	if err := json.Unmarshal([]byte(r.say("job", "ls", "--format", "json")), &doc); err != nil {
		r.t.Fatal(err)
	}
	out := map[string]jobRow{}
	for _, row := range doc.Rows {
		out[row.PFE+"/"+string(rune('0'+row.Job))] = row
	}
	return out
}

// contribute sends a packet of a job of Trio-ML from a host's namespace.
func (r *switchRun) contribute(job int, h *plan.Host) {
	r.t.Helper()
	packet := chassistest.Contribution(h, wire.Header{Job: uint8(job)}, 1)
	r.send(h, wire.Port, packet.Body)
}

// update sends a packet of SwitchML of 64 values, for slot 0.
func (r *switchRun) update(h *plan.Host) {
	r.t.Helper()
	const elements = 64
	size, _ := switchml.SizeOf(elements)
	body := make([]byte, switchml.HeaderLen+4*elements)
	switchml.Header{Type: switchml.TypeConsume, Size: size}.Put(body)
	r.send(h, switchml.Port, body)
}

// send sends a UDP packet from a host's namespace to its switch.
func (r *switchRun) send(h *plan.Host, port uint16, body []byte) {
	r.t.Helper()
	err := ns.WithNetNSPath(netns.Path(r.lab, h.Name), func(ns.NetNS) error {
		conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(h.Gateway, port)))
		if err != nil {
			return err
		}
		_, err = conn.Write(body)
		return errors.Join(err, conn.Close())
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// While a lab trains, another process lists its jobs, adds one that then adds up
// packets of two hosts, and removes it again.
func TestSwitchOfARunningLab(t *testing.T) {
	needRoot(t)
	for _, pfe := range []string{pfeReference, pfeMicrocode} {
		t.Run(pfe, func(t *testing.T) {
			r := startSwitch(t, pfe, nil)
			useSwitch(t, r)
			if pfe == pfeMicrocode {
				for _, view := range []string{"threads", "memory", "resources"} {
					if text := r.say("show", view, "--format", "csv"); strings.Count(text, "\npfe4,") < 4 {
						t.Errorf("%s:\n%s", view, text)
					}
				}
			}
		})
	}
}

func hostsOf(t *testing.T, topology string, n int) []plan.Host {
	t.Helper()
	return chassistest.Plan(t, topology, gen.Params{Hosts: n}).Hosts
}

// A switch that serves SwitchML is given a job by command: it adds up packets of two
// hosts, keeps the other's slots, and is removed again.
func TestSwitchMLJobByCommand(t *testing.T) {
	needRoot(t)
	hosts := hostsOf(t, "rack", 3)
	for _, pipe := range []string{"pipeline", "reference"} {
		t.Run(pipe, func(t *testing.T) {
			r := startLab(t, nil, exitOK, "switch", "serve", "--hosts", "3", "--pipe", pipe)
			if text := r.say("job", "add", "--id", "2", "--sources", "2,0", "--slots", "8000", "--elements", "64"); !strings.Contains(text, "| engine |    1 | 10.1.0.1 | 02:00:00:00:00:00 | p0   |") {
				t.Errorf("added:\n%s", text)
			}
			r.update(&hosts[0])
			r.update(&hosts[2])
			r.until("job 2 has a result", func() bool { return r.jobs()["engine/2"].Results == 1 })
			for says, args := range map[string][]string{
				"id-taken: there is a job 2 on tor: remove it first, or take another id":                                       {"--id", "2", "--sources", "1", "--slots", "8"},
				"no-room: job 3 wants 500 slots on tor, where 192 of 8192 are left: end a job first, or give jobs fewer slots": {"--id", "3", "--sources", "1", "--slots", "500"},
				"bad-source: job 3: worker 0 at 10.1.0.3 is in job 2 on tor: remove that job first":                            {"--id", "3", "--sources", "2", "--slots", "8"},
				"other-protocol: job 3 says nothing of slots: this switch speaks SwitchML: give --slots":                       {"--id", "3", "--sources", "1"},
				`bad-result-ports: job 3: tor has no port "p7" with a link: name one of p0, p1, p2`:                            {"--id", "3", "--slots", "8", "--worker", "10.1.0.9,02:00:00:00:00:01,p7"},
			} {
				if text := r.refused(exitFailed, append([]string{"job", "add"}, args...)...); !strings.Contains(text, says) {
					t.Errorf("%v: %q lacks %q", args, text, says)
				}
			}
			r.say("job", "add", "--id", "3", "--slots", "192", "--worker", "10.1.0.9,02:00:00:00:00:01,p1")
			if text := r.say("job", "rm", "2", "--format", "csv"); !strings.Contains(text, "\nengine,0,2,1,0,0,0\n") {
				t.Errorf("removed:\n%s", text)
			}
			if jobs := r.jobs(); len(jobs) != 1 || jobs["engine/3"].Job != 3 {
				t.Errorf("left are %+v", jobs)
			}
		})
	}
}

// A switch of ATP forgets while its job goes on; one of Trio-ML refuses.
func TestSwitchForgets(t *testing.T) {
	needRoot(t)
	r := startLab(t, nil, exitInterrupted, "run", "straggler", "--out", "results", "--set", "hosts=2", "--set", "iterations=2000", "--set", "scale=2000",
		"--set", "stragglers.p=[0%]", "--set", "systems=[{system: atp, topology: rack}]")
	results := func() (n uint64) { return r.jobs()["engine/1"].Packets }
	r.until("the job has packets", func() bool { return results() > 0 })
	if text := r.say("forget", "--format", "csv"); !strings.HasPrefix(text, "programs,open_blocks\n1,") {
		t.Errorf("forgot:\n%s", text)
	}
	if text := r.say("job", "add", "--id", "7", "--sources", "0,1", "--servers", "2"); !strings.Contains(text, "| engine | server | h2   |") || !strings.Contains(text, "239.255.0.7") {
		t.Errorf("added:\n%s", text)
	}
	if text := r.refused(exitFailed, "job", "add", "--id", "8", "--sources", "0", "--servers", "3"); !strings.Contains(text, "bad-server: job 8: server 3 is no host of tor") {
		t.Error(text)
	}
	r.say("job", "rm", "7")
	before := results()
	r.until("the job goes on", func() bool { return results() > before })
}

func useSwitch(t *testing.T, r *switchRun) {
	r.until("the job of the run has results", func() bool { return r.jobs()["pfe4/1"].Results > 0 })
	if text := r.say("job", "add", "--id", "2", "--sources", "0,1", "--block-cnt-max", "8"); !strings.Contains(text, "| pfe4 |       2 | 200,201 |") {
		t.Errorf("added:\n%s", text)
	}
	hosts := hostsOf(t, "mx480", 2)
	for i := range hosts {
		r.contribute(2, &hosts[i])
	}
	r.until("job 2 has a result of both PFEs", func() bool { return r.jobs()["pfe4/2"].Results == 1 })
	if jobs := r.jobs(); jobs["pfe1/2"].Packets != 1 || jobs["pfe2/2"].Sources != "1" || len(jobs) != 6 {
		t.Errorf("jobs %+v", jobs)
	}
	if text := r.refused(exitFailed, "job", "add", "--id", "2", "--sources", "0"); !strings.Contains(text, "id-taken: there is a job 2 on mx480/pfe1") {
		t.Error(text)
	}
	if text := r.refused(exitUsage, "show", "jobs", "--lab", r.lab+"x"); !strings.Contains(text, `there are `+r.lab+`; did you mean "`+r.lab+`"?`) {
		t.Error(text)
	}
	if text := r.refused(exitUsage, "show", "jobs", "--switch", "mx480x"); !strings.Contains(text, `has no switch "mx480x": there are mx480; did you mean "mx480"?`) {
		t.Error(text)
	}
	if text := r.refused(exitUsage, "show", "jobs", "--pfe", "pfe7"); !strings.Contains(text, "mx480 has no PFE") {
		t.Error(text)
	}
	if text := r.refused(exitFailed, "forget"); !strings.Contains(text, "nothing-to-forget: no program of mx480") {
		t.Error(text)
	}
	if text := r.say("job", "rm", "2", "--format", "csv"); !strings.Contains(text, "\npfe4,0,2,1,0,0,0\n") {
		t.Errorf("removed:\n%s", text)
	}
	before := r.jobs()
	r.until("the job of the run goes on", func() bool { return r.jobs()["pfe4/1"].Results > before["pfe4/1"].Results })
	if len(before) != 3 {
		t.Errorf("jobs %+v", before)
	}
	stranger := inalab(r.state, "switch", "job", "ls")
	stranger.SysProcAttr = ordinary()
	if out, err := stranger.CombinedOutput(); err == nil {
		t.Errorf("a stranger sees\n%s", out)
	}
}

// Another user's sockets are named as such, whoever looks.
func TestSwitchOfAnotherUser(t *testing.T) {
	needRoot(t)
	r := startSwitch(t, pfeReference, nil)
	if err := os.Chmod(r.state, 0o755); err != nil { // as /run/inalab is
		t.Fatal(err)
	}
	cmd := r.command("switch", "job", "ls")
	cmd.SysProcAttr = ordinary()
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitPreflight || !strings.Contains(string(out), "lab "+r.lab+" belongs to uid 0: run this as that user or as root") {
		t.Errorf("code %d: %s", code, out)
	}
	// The owner by way of sudo may ask.
	if err := os.Chown(control.SocketPath(filepath.Join(r.state, "0", r.lab), "mx480"), int(ordinary().Credential.Uid), -1); err != nil {
		t.Fatal(err)
	}
	cmd = r.command("switch", "job", "ls")
	cmd.SysProcAttr = ordinary()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the owner of the socket: %v\n%s", err, out)
	}
}

// A lab in a user namespace is asked from outside of it, by its user.
func TestSwitchWithoutRoot(t *testing.T) {
	if err := netns.CanUserNamespace(); err != nil {
		t.Skip(err)
	}
	as := ordinary()
	if os.Geteuid() != 0 {
		as = nil
	}
	r := startSwitch(t, pfeReference, as)
	r.until("the job of the run has results", func() bool { return r.jobs()["pfe4/1"].Results > 0 })
	r.say("job", "add", "--id", "2", "--sources", "0,1")
	if jobs := r.jobs(); len(jobs) != 6 {
		t.Errorf("jobs %+v", jobs)
	}
	r.say("job", "rm", "2")
}
