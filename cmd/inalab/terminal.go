package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/reports/render"
)

// isTerminal reports whether w is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ) // only a terminal has one
	return err == nil
}

// colours reports whether what goes to w may be coloured (no-color.org).
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// redraws reports whether w may show progress in place: on a terminal that no
// continuous integration records.
func redraws(w io.Writer) bool {
	ci := os.Getenv("CI")
	return isTerminal(w) && (ci == "" || ci == "false")
}

// formats lists the output formats for help texts.
func formats() string {
	var names []string
	for _, f := range render.Formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// tableOptions says how a table is written to w: in Unicode and no wider than
// the screen on a terminal, in ASCII elsewhere.
func tableOptions(w io.Writer) render.Options {
	return render.Options{Unicode: isTerminal(w), Width: screenWidth(w)}
}

// screenWidth returns the columns of a terminal, and 0 of anything else.
func screenWidth(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(w.(*os.File).Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
