package main

import (
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

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness"
	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/units"
)

// pcapFlags are the options of inalab run that capture packets.
type pcapFlags struct {
	path, filterText, ringText string

	filter capture.Filter
	ring   int
}

func (f *pcapFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.path, "pcap", "", "capture packets: a directory for a pcapng file of each run, or a *.pcapng file for that of one run")
	flags.StringVar(&f.filterText, "pcap-filter", "", "of --pcap: frames to take, as in 'proto=trioml job=1' (default: all)")
	flags.StringVar(&f.ringText, "pcap-ring", "", "of --pcap: keep only so much of the newest frames, as in 64MB (default: all)")
}

// pcapSuffix ends the names of captures.
const pcapSuffix = ".pcapng"

// oneFile reports whether a file is meant, and not a directory of files.
func (f *pcapFlags) oneFile() bool { return strings.HasSuffix(f.path, pcapSuffix) }

func (f *pcapFlags) check(paired bool) (err error) {
	switch {
	case f.path == "" && f.filterText+f.ringText == "":
		return nil
	case f.path == "":
		return errors.New("--pcap-filter and --pcap-ring are of --pcap: say where captures go with --pcap DIRECTORY")
	case paired:
		return errors.New("--pcap and --paired: a captured run is not for timing; leave one of them out")
	}
	if f.filter, err = capture.ParseFilter(f.filterText); err != nil {
		return fmt.Errorf("--pcap-filter: %w", err)
	}
	if f.ring, err = parseRing("--pcap-ring", f.ringText); err != nil {
		return err
	}
	if f.oneFile() {
		return checkNewFile("--pcap", f.path)
	}
	if st, err := os.Stat(f.path); err == nil && !st.IsDir() {
		return fmt.Errorf("--pcap %s: it is a file, and no directory: name another, or a new file that ends with %s", f.path, pcapSuffix)
	}
	return nil
}

// Bounds of a ring: it is kept in memory.
const (
	minRing = 64 * units.KiB
	maxRing = 4 * units.GiB
)

// parseRing reads the size of a ring; empty: there is none.
func parseRing(flag, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	size, err := units.ParseBytes(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", flag, err)
	}
	if size < minRing || size > maxRing {
		return 0, fmt.Errorf("%s %s: %v to %v are possible", flag, text, minRing, maxRing)
	}
	return int(size), nil
}

// checkNewFile says why a file cannot be made.
func checkNewFile(flag, path string) error {
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return fmt.Errorf("%s %s: it is a directory: name a file in it, as %s", flag, path, filepath.Join(path, "capture"+pcapSuffix))
	case err == nil:
		return fmt.Errorf("%s %s: it exists, and is not overwritten: name another file, or remove it", flag, path)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", flag, err)
	}
	if dir := filepath.Dir(path); !isDir(dir) {
		return fmt.Errorf("%s %s: there is no directory %s: make it first, with mkdir -p %s", flag, path, dir, dir)
	}
	return nil
}

// fits checks that a file is not asked to hold several runs.
func (f *pcapFlags) fits(runs int) error {
	if f.oneFile() && runs > 1 {
		return fmt.Errorf("--pcap %s: the scenario has %d runs, and a file holds one: name a directory, or leave one run with --set systems=[trioml] --set stragglers.p='[0%%]'", f.path, runs)
	}
	return nil
}

// capturing says where the packets of runs go.
func (r *recording) capturing(caller journal.Caller) harness.Capturing {
	f := &r.flags.pcap
	if f.path == "" {
		return harness.Capturing{}
	}
	return harness.Capturing{
		Filter: f.filter, Ring: f.ring, Told: r.captured.add,
		Open: func(s *job.Set) (io.WriteCloser, error) { return createOwned(r.pcapPath(s), caller) },
	}
}

// captured is what the captures of runs came to.
type captured struct {
	mu    sync.Mutex // guards what follows: runs may be concurrent
	files int
	sum   capture.Counts
	lost  uint64
}

func (c *captured) add(_ *job.Set, of capture.Counts, lost []capture.Lost) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	c.sum.Seen, c.sum.Taken, c.sum.Written = c.sum.Seen+of.Seen, c.sum.Taken+of.Taken, c.sum.Written+of.Written
	c.sum.Commented, c.sum.Pushed = c.sum.Commented+of.Commented, c.sum.Pushed+of.Pushed
	for _, l := range lost {
		c.lost += l.Lost
	}
}

// tell says where the captures are, if there are any.
func (c *captured) tell(w io.Writer, path string) {
	if c.files > 0 {
		fmt.Fprintf(w, "captures: %s: %s\n", path, capturedText(c.sum, c.lost))
	}
}

// capturedText says what a capture came to.
func capturedText(c capture.Counts, lost uint64) string {
	text := fmt.Sprintf("%d frames passed, %d were taken, %d written, %d of them with decisions", c.Seen, c.Taken, c.Written, c.Commented)
	if c.Pushed > 0 {
		text += fmt.Sprintf("; the ring had no room for %d older ones", c.Pushed)
	}
	return text + fmt.Sprintf("; %d packets were lost on their way here", lost)
}

// createOwned makes a new file of the caller, and the directory that it is in.
func createOwned(path string, caller journal.Caller) (*os.File, error) {
	if dir := filepath.Dir(path); !isDir(dir) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		if err := caller.Chown(dir); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return file, caller.Chown(path)
}

// notInNames are runs of characters that names of files are better without.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// pcapPath returns the file of a run: its number, then what tells it from others.
func (r *recording) pcapPath(s *job.Set) string {
	f := &r.flags.pcap
	if f.oneFile() {
		return f.path
	}
	j := s.First()
	text := fmt.Sprintf("%s p%g %s seed%d", s.Name(), 100*j.StraggleP, j.Point, j.Seed)
	name := strings.Trim(notInNames.ReplaceAllString(text, "-"), "-")
	return filepath.Join(f.path, fmt.Sprintf("%03d-%s%s", 1+slices.Index(r.sets, s), name, pcapSuffix))
}
