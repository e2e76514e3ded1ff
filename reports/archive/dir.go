package archive

import (
	"bufio"
	"cmp"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultRoot is where results go if nothing else is said.
const DefaultRoot = "results"

// Options says where results go and whose they are.
type Options struct {
	Root     string    // parent of all results; empty means DefaultRoot; made where missing
	Scenario string    // a-z, 0-9 and -; part of the directory's name
	ID       string    // a-z, 0-9 and -; empty means six random hexadecimal digits
	Started  time.Time // when the run began; required
	Columns  string    // Markdown: what the columns of the tables mean, for COLUMNS.md
	Files    string    // Markdown: what the other files hold; empty means those of a run of a scenario
	// Own gives a path to the calling user; nil leaves it as it was made.
	Own func(path string) error
}

var word = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (o *Options) validate() error {
	o.Root, o.Files = cmp.Or(o.Root, DefaultRoot), cmp.Or(o.Files, files)
	if o.Own == nil {
		o.Own = func(string) error { return nil }
	}
	switch {
	case !word.MatchString(o.Scenario):
		return fmt.Errorf("scenario name %q: use 1 to 64 of a-z, 0-9 and -, beginning with a letter or a digit", o.Scenario)
	case o.ID != "" && !word.MatchString(o.ID):
		return fmt.Errorf("id of the run %q: use 1 to 64 of a-z, 0-9 and -, beginning with a letter or a digit", o.ID)
	case o.Started.IsZero():
		return errors.New("the start of the run is not given")
	}
	return nil
}

// ErrFinished says that the manifest stands: the results are complete and stay
// as they are.
var ErrFinished = errors.New("the results are finished")

const (
	manifestName = "manifest.json"
	columnsName  = "COLUMNS.md"
	latestName   = "latest"
)

//go:embed files.md
var files string

// Dir is the directory of one run. Its methods may be called from several
// goroutines.
type Dir struct {
	path    string
	started time.Time
	own     func(path string) error

	mu      sync.Mutex // guards what follows
	streams []*Stream
	closed  bool
}

// Create makes the directory of a new run, with COLUMNS.md. [Dir.Finish] points latest to it.
func Create(opts Options) (*Dir, error) {
	if err := opts.validate(); err != nil {
		return nil, fmt.Errorf("make results directory: %w", err)
	}
	d := &Dir{started: opts.Started.UTC(), own: opts.Own}
	root, err := filepath.Abs(opts.Root)
	if err == nil {
		err = d.makeAll(root)
	}
	if err == nil {
		err = checkLink(filepath.Join(root, latestName))
	}
	if err == nil {
		err = d.claim(root, opts)
	}
	if err == nil {
		err = d.Write(columnsName, func(w io.Writer) error { return writeColumns(w, opts.Columns, opts.Files) })
	}
	if err != nil {
		return nil, fmt.Errorf("make results directory: %w", err)
	}
	return d, nil
}

func writeColumns(w io.Writer, tables, files string) error {
	if tables != "" {
		tables = strings.TrimRight(tables, "\n") + "\n\n"
	}
	_, err := io.WriteString(w, tables+files)
	return err
}

// Path returns the absolute path of the directory.
func (d *Dir) Path() string { return d.path }

// attempts bounds the search for a free random id; one is enough but for a
// broken clock and broken randomness.
const attempts = 10

// claim makes a directory that nobody had.
func (d *Dir) claim(root string, opts Options) error {
	for range attempts {
		id := opts.ID
		if id == "" {
			var b [3]byte
			rand.Read(b[:]) // never fails (crypto/rand)
			id = hex.EncodeToString(b[:])
		}
		d.path = filepath.Join(root, strings.Join([]string{d.started.Format("20060102T150405Z"), opts.Scenario, id}, "-"))
		err := os.Mkdir(d.path, 0o755)
		if err == nil {
			return d.own(d.path)
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%s is there already, and results are never overwritten: choose another id or directory", d.path)
}

// makeAll makes a directory and its parents; those that are new are the
// caller's.
func (d *Dir) makeAll(dir string) error {
	var missing []string
	for p := dir; ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			break // what else is wrong with it, making its children will tell
		}
		missing = append(missing, p)
	}
	for _, p := range slices.Backward(missing) {
		if err := os.Mkdir(p, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := d.own(p); err != nil {
			return err
		}
	}
	return nil
}

// checkLink refuses what is no link. Whatever else has that name stays.
func checkLink(link string) error {
	st, err := os.Lstat(link)
	if err == nil && st.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("%s is not a symbolic link, so it is not replaced: move it away", link)
	}
	return nil
}

// point makes the link name the directory, at once, so that a reader always
// finds one or the other.
func (d *Dir) point(link string) error {
	if err := checkLink(link); err != nil {
		return err
	}
	name := filepath.Base(d.path)
	fresh := filepath.Join(filepath.Dir(link), "."+latestName+"-"+name)
	if err := os.Symlink(name, fresh); err != nil {
		return err
	}
	if err := errors.Join(d.own(fresh), os.Rename(fresh, link)); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}

// create makes a new file, and its directories, below the run's.
func (d *Dir) create(name string) (*os.File, error) {
	if !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." {
		return nil, fmt.Errorf("%q is not the name of a file below the results directory", name)
	}
	if name == manifestName {
		return nil, fmt.Errorf("%s is written by Finish alone", manifestName)
	}
	if d.closed {
		return nil, ErrFinished
	}
	path := filepath.Join(d.path, name)
	if err := d.makeAll(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	if err := d.own(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Write makes a new file with what write writes. If that fails there is none.
// write must not use the directory itself.
func (d *Dir) Write(name string, write func(io.Writer) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.create(name)
	if err != nil {
		return fmt.Errorf("write result %s: %w", name, err)
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write result %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// WriteJSON makes a new file that holds v, indented.
func (d *Dir) WriteJSON(name string, v any) error {
	return d.Write(name, func(w io.Writer) error { return encodeIndented(w, v) })
}

func encodeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Mkdir makes a directory for files that others write, such as "logs", and
// returns its path.
func (d *Dir) Mkdir(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("make result directory: %q is not below the results directory", name)
	}
	path := filepath.Join(d.path, name)
	if err := d.makeAll(path); err != nil {
		return "", fmt.Errorf("make result directory %s: %w", name, err)
	}
	return path, nil
}

// Past returns the run as it will be read again once Finish has written the manifest, so that a report can be
// among its files. What streams have not closed yet cannot be relied on.
func (d *Dir) Past(m Manifest) *Past {
	m.SchemaVersion, m.Started, m.Ended = SchemaVersion, d.started, time.Now().UTC()
	return &Past{Path: d.path, Manifest: m}
}

// Has reports whether a file was written.
func (d *Dir) Has(name string) bool {
	_, err := os.Stat(filepath.Join(d.path, name))
	return err == nil
}
