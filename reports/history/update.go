package history

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/inalab/inalab/reports/change"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/stat"
)

// Run is what the index holds of a results directory.
type Run struct {
	Dir      string // its name below the root
	Started  time.Time
	Version  string
	Scenario string
	Clock    string
	Scale    int
	Machine  string // its kind, of a live run
	Setup    change.Setup
	Rows     []Row
}

// Row is one row of a run, at one seed.
type Row struct {
	System, Job, Lab, Topology, Model string
	StraggleP                         float64
	Point                             string // of a sweep, in words
	Seed                              uint64
	IterMS                            float64 // mean iteration time, ms; 0 where no iteration was finished
	Unfit                             string  // why it is not to be believed; empty: it is
}

// Update reads the directories that are new or were written anew, and forgets those that are gone.
func (x *Index) Update() error {
	entries, err := os.ReadDir(x.root)
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	known, err := x.stamps()
	if err != nil {
		return err
	}
	tx, err := x.db.Begin()
	if err != nil {
		return fmt.Errorf("update index: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		stamp := stampOf(filepath.Join(x.root, e.Name()))
		if old, ok := known[e.Name()]; !ok || old != stamp {
			err = errors.Join(err, x.read(tx, e.Name(), stamp))
		}
		delete(known, e.Name())
	}
	for dir := range known {
		err = errors.Join(err, forget(tx, dir))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("update index: %w", err), tx.Rollback())
	}
	return tx.Commit()
}

// stamps returns the state of each directory when it was read.
func (x *Index) stamps() (map[string]string, error) {
	rows, err := x.db.Query("SELECT dir, stamp FROM runs UNION SELECT dir, stamp FROM refused")
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var dir, stamp string
		if err := rows.Scan(&dir, &stamp); err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		out[dir] = stamp
	}
	return out, rows.Err()
}

// stampOf tells a state of a directory from others.
func stampOf(dir string) string {
	var stamp string
	for _, name := range []string{"manifest.json", "record.json.gz"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil {
			stamp += fmt.Sprintf("%d %d ", st.ModTime().UnixNano(), st.Size())
		}
	}
	return stamp
}

func forget(tx *sql.Tx, dir string) error {
	_, a := tx.Exec("DELETE FROM runs WHERE dir = ?", dir)
	_, b := tx.Exec("DELETE FROM refused WHERE dir = ?", dir)
	return errors.Join(a, b)
}

// read takes a directory into the index. One that cannot be read is kept with the reason.
func (x *Index) read(tx *sql.Tx, dir, stamp string) error {
	if err := forget(tx, dir); err != nil {
		return err
	}
	r, err := change.Read(filepath.Join(x.root, dir))
	if err != nil {
		_, err = tx.Exec("INSERT INTO refused VALUES (?, ?, ?)", dir, stamp, err.Error())
		return err
	}
	run := newRun(dir, r)
	text, err := json.Marshal(run)
	if err == nil {
		_, err = tx.Exec("INSERT INTO runs VALUES (?, ?, ?, ?)", dir, stamp, run.Started.UnixNano(), text)
	}
	return err
}

func newRun(dir string, r *change.Run) *Run {
	m := &r.Manifest
	run := &Run{Dir: dir, Started: m.Started, Version: r.Build(), Scenario: m.Scenario, Clock: m.Clock, Scale: m.Scale, Setup: r.Setup()}
	if m.Clock == "live" {
		run.Machine = change.Machine(m)
	}
	for i := range r.Record.Cells {
		c := &r.Record.Cells[i]
		if c.Computed != 0 {
			continue
		}
		row := Row{
			System: c.System, Job: c.Job, Lab: c.Lab, Topology: c.Topology, Model: c.Model, StraggleP: c.StraggleP, Point: c.Point.String(),
			Seed: c.Seed, Unfit: change.Unfit(c),
		}
		var times []float64
		for _, i := range compare.Iterations(*c) {
			times = append(times, i.Mean)
		}
		if e := stat.Mean(times); e.Known() {
			row.IterMS = e.Value
		} else if row.Unfit == "" {
			row.Unfit = "no iteration was finished"
		}
		run.Rows = append(run.Rows, row)
	}
	return run
}

// Runs returns all that the index has, by time, and what could not be read, with the reason.
func (x *Index) Runs() (runs []*Run, refused []string, err error) {
	err = x.each("SELECT run FROM runs ORDER BY started, dir", func(text string) error {
		r := &Run{}
		runs = append(runs, r)
		return json.Unmarshal([]byte(text), r)
	})
	return runs, refused, errors.Join(err, x.each("SELECT why FROM refused ORDER BY dir", func(text string) error {
		refused = append(refused, text)
		return nil
	}))
}

func (x *Index) each(query string, take func(string) error) error {
	rows, err := x.db.Query(query)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		err := rows.Scan(&text)
		if err == nil {
			err = take(text)
		}
		if err != nil {
			return fmt.Errorf("read index: %w", err)
		}
	}
	return rows.Err()
}
