package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/inalab/inalab/internal/result"
)

// SchemaVersion is that of manifest.json.
const SchemaVersion = 1

// Manifest says what a run was. Finish fills in SchemaVersion, Started and Ended.
type Manifest struct {
	SchemaVersion int       `json:"schema_version"`
	Started       time.Time `json:"started"`
	Ended         time.Time `json:"ended"`
	Command       []string  `json:"command"` // to run it again
	Version       string    `json:"version"`
	Commit        string    `json:"commit,omitempty"` // empty where the build does not know
	Machine       Machine   `json:"machine"`
	Offloads      []string  `json:"offloads"` // packet paths in use, by kind of node
	Scenario      string    `json:"scenario"`
	Clock         string    `json:"clock"` // live or virtual
	Seed          uint64    `json:"seed"`
	Scale         int       `json:"scale"`
	Scaled        Scaled    `json:"scaled,omitzero"` // of a run of a scenario
	Options       any       `json:"options"`         // every resolved option
	Verdicts      []Verdict `json:"verdicts"`
	ExitCode      int       `json:"exit_code"`
}

// Scaled says how the scale of a run came about.
type Scaled struct {
	By    string `json:"by"`              // set, rule or self-test
	Tried any    `json:"tried,omitempty"` // by the self-test: each scale with its load, a share of what the machine has, and of what
	Note  string `json:"note,omitempty"`
}

// How a scale comes about.
const (
	ScaleSet      = "set"       // by the scenario or the command
	ScaleRule     = "rule"      // by the rule of the scenario
	ScaleSelfTest = "self-test" // this machine carries it
)

// Verdict is what one run came to.
type Verdict struct {
	System    string       `json:"system"`
	StraggleP float64      `json:"straggle_p"` // a fraction
	Seed      uint64       `json:"seed"`
	Swept     result.Point `json:"swept,omitzero"`   // the point of a sweep
	Job       string       `json:"job,omitempty"`    // where several shared the lab
	Lab       string       `json:"lab,omitempty"`    // what ran there, where the jobs were of several systems
	Switch    string       `json:"switch,omitempty"` // what aggregated in switches; empty: nothing did
	Fidelity  string       `json:"fidelity"`         // trusted, busy, caution, invalid or exact
	Reasons   []string     `json:"reasons"`          // what kept it from trusted or exact
	Checked   uint64       `json:"checked"`          // delivered elements held against the workers' tensors
	Wrong     uint64       `json:"wrong"`            // those that differed
}

// Finish writes the manifest, closes the directory for good, and points latest to it. Without it the
// run is incomplete.
func (d *Dir) Finish(m Manifest) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fmt.Errorf("finish results: %w", ErrFinished)
	}
	err := d.close()
	if err == nil {
		m.SchemaVersion, m.Started, m.Ended = SchemaVersion, d.started, time.Now().UTC()
		err = d.writeManifest(&m)
	}
	if err == nil {
		err = d.clearUp()
	}
	if err != nil {
		return fmt.Errorf("finish results %s: %w", d.path, err)
	}
	return nil
}

// clearUp takes away what only an incomplete run needs, and has latest name this one.
func (d *Dir) clearUp() error {
	err := os.Remove(filepath.Join(d.path, UnfinishedName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, d.point(filepath.Join(filepath.Dir(d.path), latestName)))
}

// Close closes the directory of a run that did not come to its end. What was
// written stays. After Finish it does nothing.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.close(); err != nil {
		return fmt.Errorf("close results %s: %w", d.path, err)
	}
	return nil
}

func (d *Dir) close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	var errs []error
	for _, s := range d.streams {
		errs = append(errs, s.close())
	}
	// Logs were written by the nodes, and belong to the caller all the same.
	errs = append(errs, filepath.WalkDir(d.path, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return d.own(path)
	}))
	return errors.Join(errs...)
}

// writeManifest makes the manifest appear at once and whole.
func (d *Dir) writeManifest(m *Manifest) (err error) {
	final := filepath.Join(d.path, manifestName)
	fresh := filepath.Join(d.path, "."+manifestName)
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = encodeIndented(f, m)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.own(fresh)
	}
	if err == nil {
		err = os.Rename(fresh, final)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}
