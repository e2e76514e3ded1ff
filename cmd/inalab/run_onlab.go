package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/lab"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/spec"
)

// envInside says that the program was started inside a lab that is up, to run on it.
const envInside = "INALAB_INSIDE"

// labRun is a run on a lab that is up.
type labRun struct {
	lab      runningLab
	topology string // file
	by       string // who borrows its switches: the scenario
	graph    *topo.Graph
	lent     io.Closer // its switches
}

// onLab finds the lab that the run is to be on. The run goes on in a process that the lab's keeper
// starts, which is where a lab in a user namespace can be reached; then done is true here.
func (f *runFlags) onLab(c *cobra.Command, src scenarios.Source) (done bool, err error) {
	if f.keep {
		return true, f.keepLab(c, src)
	}
	entries, err := running.List()
	if err != nil || f.lab == "" || f.clock != "live" {
		return false, err
	}
	found := false
	for _, e := range entries {
		s, err := running.Read(e.Dir)
		found = found || e.Lab == f.lab && err == nil && s.Kind == running.Up
	}
	if !found {
		return false, nil // the name is for a lab of the run's own
	}
	l, err := findUp(f.lab, byFlag)
	if err != nil {
		return true, err
	}
	if f.topo != "" || f.paired != "" {
		return true, usage(fmt.Errorf("--lab %s is up: --topo and --paired are for runs with labs of their own", f.lab))
	}
	if os.Getenv(envInside) == "" {
		return true, runInside(l, src, os.Args[1:])
	}
	f.on, err = newLabRun(l)
	return false, err
}

// runInside starts this program with arguments inside a lab, and ends as it does. A scenario that was read from standard
// input is there again.
func runInside(l runningLab, src scenarios.Source, args []string) (err error) {
	stdin := os.Stdin
	if slices.Contains(args, standardInput) {
		if stdin, err = readAgain(src.Text); err != nil {
			return err
		}
		defer stdin.Close()
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r, err := request("", append([]string{self}, args...))
	if err != nil {
		return err
	}
	r.Args[0] = os.Args[0]
	r.Env = append(r.Env, envInside+"="+l.Lab)
	signals := passSignals()
	p, err := startIn(l, r, stdin, os.Stdout, os.Stderr)
	if err != nil {
		return err
	}
	return waitFor(l, p, signals)
}

// readAgain returns a file without a name that has a text.
func readAgain(text []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "inalab-scenario-")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err = errors.Join(err, os.Remove(f.Name())); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func newLabRun(l runningLab) (*labRun, error) {
	answer, _, err := lab.Ask(l.Dir, lab.Request{Op: lab.OpGraph})
	if errors.Is(err, fs.ErrPermission) {
		err = notOurs(l.Entry)
	}
	if err == nil && answer.Graph == nil {
		err = fmt.Errorf("lab %s does not say what it is made of", l.Lab)
	}
	return &labRun{lab: l, topology: lab.TopologyPath(l.Dir), graph: answer.Graph}, err
}

// borrow has the lab's owner stop its switches, in whose places the run has its own.
func (r *labRun) borrow() (err error) {
	_, r.lent, err = lab.Ask(r.lab.Dir, lab.Request{Op: lab.OpLend, By: r.by})
	return err
}

// giveBack has the owner start its switches again.
func (r *labRun) giveBack() { _ = r.lent.Close() }

// adopt returns the lab's namespaces.
func (l *runningLab) adopt() *netns.Lab {
	paths := map[string]string{}
	for _, n := range l.State.Nodes {
		paths[n.Name] = n.Namespace
	}
	return netns.Adopt(l.Lab, l.Dir, paths)
}

// keepLab brings up the lab of a scenario, which stays, and runs the scenario on it.
func (f *runFlags) keepLab(c *cobra.Command, src scenarios.Source) error {
	if f.clock != "live" || f.paired != "" || f.dryRun {
		return usage(errors.New("--keep is for a live run: leave out --clock virtual, --paired and --dry-run"))
	}
	s, _, err := prepare(src, f.overrides(c), *f)
	if err != nil {
		return usage(err)
	}
	g, err := s.LabGraph()
	if err != nil {
		return usage(fmt.Errorf("--keep: %w", err))
	}
	job := upJob{Lab: f.lab, File: src.Name, Text: spec.Write(g, spec.Header{Comment: "the lab of a run of " + s.Name}), Seed: uint64(s.Seed), Plain: f.plain}
	if job.Lab == "" {
		job.Lab = netns.NewLabName()
	}
	if _, err := startOwner(c, job); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "lab %s stays up: \"inalab down %s\" ends it\n", job.Lab, job.Lab)
	l, err := findUp(job.Lab, byFlag)
	if err != nil {
		return err
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool { return a == "--keep" || a == "--keep=true" })
	for i := 0; i < len(args); i++ {
		if (args[i] == "--topo" || args[i] == "-t") && i+1 < len(args) {
			args = slices.Delete(args, i, i+2)
			i--
		}
	}
	return runInside(l, src, append(args, "--lab", job.Lab))
}
