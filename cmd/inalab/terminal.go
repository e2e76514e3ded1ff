package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/reports/render"
)

// isTerminal reports whether w is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// tableOptions says how a table is written to w: in Unicode and no wider than
// the screen on a terminal, in ASCII elsewhere.
func tableOptions(w io.Writer) render.Options {
	if !isTerminal(w) {
		return render.Options{}
	}
	o := render.Options{Unicode: true}
	if size, err := unix.IoctlGetWinsize(int(w.(*os.File).Fd()), unix.TIOCGWINSZ); err == nil {
		o.Width = int(size.Col)
	}
	return o
}
