// Package provenance says in words what made the numbers of a results directory, and how to make them again.
//
// Left out: what is in the directory.
package provenance

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/page"
)

// List is what the manifest of a directory says of version, time and machine, as far as it is known. More items
// stand before the machine.
func List(name string, m *archive.Manifest, more ...page.Item) page.List {
	list := slices.Concat(page.List{
		{Name: "Directory", Value: name},
		{Name: "inalab", Value: strings.TrimSpace(m.Version + " " + m.Commit)},
		{Name: "Begun", Value: m.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
		{Name: "Took", Value: m.Ended.Sub(m.Started).Round(time.Second).String()},
		{Name: "Seed", Value: fmt.Sprint(m.Seed)},
	}, more, page.List{
		{Name: "Kernel", Value: m.Machine.Kernel},
		{Name: "Processor", Value: strings.Trim(fmt.Sprintf("%s, %d usable, %s", m.Machine.CPU, m.Machine.CPUs, m.Machine.Arch), ", ")},
		{Name: "Memory", Value: m.Machine.Memory},
		{Name: "Vector sums", Value: m.Machine.Vector},
		{Name: "Go", Value: m.Machine.Go},
		{Name: "Packet paths", Value: strings.Join(m.Offloads, "; ")},
		{Name: "Exit code", Value: fmt.Sprint(m.ExitCode)},
	})
	return slices.DeleteFunc(list, func(i page.Item) bool { return i.Value == "" })
}

// Typed is the command of a manifest as it was typed, without the place of the program.
func Typed(m *archive.Manifest) []string {
	typed := slices.Clone(m.Command)
	if len(typed) > 0 {
		typed[0] = filepath.Base(typed[0])
	}
	return typed
}

// Quoted writes words of a command for a shell.
func Quoted(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, special) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func special(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
}
