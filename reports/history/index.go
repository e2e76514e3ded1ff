package history

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// FileName is the index, in the directory of the results directories.
const FileName = "history.sqlite"

// version is that of the tables below.
const version = 1

// tables are those of the index. The form of a results directory is JSON text, which only this package reads.
const tables = `
CREATE TABLE runs (dir TEXT PRIMARY KEY, stamp TEXT NOT NULL, started INTEGER NOT NULL, run TEXT NOT NULL);
CREATE TABLE refused (dir TEXT PRIMARY KEY, stamp TEXT NOT NULL, why TEXT NOT NULL);
`

// Index is an open data base.
type Index struct {
	db    *sql.DB
	root  string
	Notes []string // what was made again, and why
}

// Open opens the index of a directory with results directories, and makes it where there is none, where it is damaged or
// of another version, and where all is to be read again. Where no file can be written it is made in memory.
func Open(root string, rebuild bool) (*Index, error) {
	if _, err := os.Stat(root); err != nil {
		return nil, fmt.Errorf("open history: %w", err)
	}
	path := filepath.Join(root, FileName)
	_, err := os.Stat(path)
	there := err == nil
	x := &Index{root: root}
	if there && rebuild {
		x.Notes = append(x.Notes, "the index is made again, as asked for")
	}
	if there && !rebuild {
		why := x.open(path)
		if why == nil {
			return x, nil
		}
		x.Notes = append(x.Notes, fmt.Sprintf("the index %s is made again: %v", path, why))
	}
	err = x.create(path)
	if errors.Is(err, fs.ErrPermission) {
		x.Notes = append(x.Notes, fmt.Sprintf("the index is not kept: %v", err))
		return x, x.connect(":memory:", tables)
	}
	return x, err
}

// open opens an index that is there, or says why it cannot be used.
func (x *Index) open(path string) error {
	if err := x.connect(file(path), ""); err != nil {
		return err
	}
	var state string
	var v int
	err := x.db.QueryRow("PRAGMA quick_check").Scan(&state)
	if err == nil && state != "ok" {
		err = errors.New(state)
	}
	if err == nil {
		err = x.db.QueryRow("PRAGMA user_version").Scan(&v)
	}
	if err == nil && v != version {
		err = fmt.Errorf("its version is %d, and this build has %d", v, version)
	}
	if err == nil { // what cannot be written is of no use
		_, err = x.db.Exec("UPDATE refused SET why = why WHERE 0")
	}
	if err != nil {
		return errors.Join(err, x.db.Close())
	}
	return nil
}

// create makes an empty index, in place of what is there.
func (x *Index) create(path string) error {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("make index: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return fmt.Errorf("make index: %w", err)
	}
	return x.connect(file(path), tables)
}

// file names a file for the driver, whatever is in its name.
func file(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	return (&url.URL{Scheme: "file", Path: abs, RawQuery: "_pragma=busy_timeout(10000)"}).String()
}

func (x *Index) connect(name, statements string) error {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	db.SetMaxOpenConns(1) // one in memory is of one connection
	x.db = db
	if statements == "" {
		return nil
	}
	if _, err := db.Exec(statements + fmt.Sprintf("PRAGMA user_version = %d;", version)); err != nil {
		return errors.Join(fmt.Errorf("make index: %w", err), db.Close())
	}
	return nil
}

// Path is where the index is.
func (x *Index) Path() string { return filepath.Join(x.root, FileName) }

// Close closes the data base.
func (x *Index) Close() error { return x.db.Close() }
