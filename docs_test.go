package inalab_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages name packages, files, declarations and knobs in code spans and in pictures. The
// tests here hold them to the tree; other pages have tests of their own.
var pages = []string{
	"ARCHITECTURE.md", "atp.md", "compare.md", "explain.md", "fidelity.md", "glossary.md", "ps.md", "report.md", "ring.md",
	"switch.md", "switchml.md", "tcpagg.md", "traffic.md", "trio-ml.md", "trio-pfe.md", "xagg.md",
}

var (
	fence    = regexp.MustCompile("(?s)```.*?```")
	span     = regexp.MustCompile("`([^`\n]+)`")
	dotted   = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Za-z]\w*)+$`)
	title    = regexp.MustCompile(`^[A-Z]\w*[a-z]\w*$`)
	called   = regexp.MustCompile(`^([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\(\)$`)
	folder   = regexp.MustCompile(`^[a-z]\w*(/[\w.*]+)+$`)
	drawn    = regexp.MustCompile(`[a-z]\w*(?:/\w+)+(?:\.\w+)*|[A-Za-z]\w*(?:(?:\.[A-Za-z]\w*)*\(\)|(?:\.[A-Za-z]\w*)+)`)
	set      = regexp.MustCompile(`--set \S+`)
	dataFile = regexp.MustCompile(`\.(csv|json|jsonl|md|mc|yaml|pgo|svg|html|log)$`)
)

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every name of code in a page exists: paths, package.Name, Type.Member, Name,
// function() and knobs. Other words are commands, keys and values.
func TestPagesNameWhatExists(t *testing.T) {
	known, checked := readNames(t), 0
	for _, page := range pages {
		for _, word := range known.wordsOf(readPage(t, page)) {
			checked++
			if !known.has(word) {
				t.Errorf("docs/%s: %s does not exist", page, word)
			}
		}
	}
	if checked < 300 {
		t.Errorf("the pages name %d packages and declarations: the test reads them wrongly", checked)
	}
}

// wordsOf returns the words of a page that are meant to be names of code.
func (n names) wordsOf(text string) (out []string) {
	for _, m := range span.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		if word := strings.TrimPrefix(m[1], "*"); looksLikeCode(word) {
			out = append(out, word)
		}
	}
	for _, picture := range fence.FindAllString(text, -1) {
		for _, word := range drawn.FindAllString(set.ReplaceAllString(picture, ""), -1) {
			if n.meant(word) {
				out = append(out, word)
			}
		}
	}
	return out
}

// The test of pages tells what exists from what does not.
func TestNamesOfPages(t *testing.T) {
	known := readNames(t)
	for word, want := range map[string]bool{
		"sansio.Train": true, "sansio.Lorry": false, "internal/sansio": true, "internal/unison": false,
		"Train.Frame": true, "Train.Axle": false, "sansio.Train.Frame": true, "nodes/trioml.Config.Window": true,
		"nodes/trioml.Config.Door": false, "harness/system/**": true, "harness/tree/**": false, "docs_test.go": true,
		"takeTurns()": true, "takeNothing()": false, "switchml.pipe": true, "switchml.tube": false,
	} {
		text := "`" + word + "`"
		if got := known.wordsOf(text); len(got) != 1 {
			t.Errorf("%s: read as %q", text, got)
		} else if known.has(got[0]) != want {
			t.Errorf("%s exists: %v, want %v", word, !want, want)
		}
	}
	if got := known.wordsOf("```\n pass() -> sansio.Lorry, topo/maps, data.json\n```"); len(got) != 3 {
		t.Errorf("a picture is read as %q", got)
	}
}

// Every name in the last column of the glossary's tables is one of code.
func TestGlossaryLeadsToCode(t *testing.T) {
	for line := range strings.Lines(readPage(t, "glossary.md")) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) < 3 {
			continue
		}
		for _, m := range span.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			if !looksLikeCode(m[1]) {
				t.Errorf("docs/glossary.md: %s is no name of a package or declaration", m[1])
			}
		}
	}
}

func looksLikeCode(word string) bool {
	if dataFile.MatchString(word) && !strings.Contains(word, "/") {
		return false
	}
	for _, form := range []*regexp.Regexp{dotted, title, called, folder} {
		if form.MatchString(word) {
			return true
		}
	}
	return false
}

// Links between pages, and to headings, lead somewhere.
func TestPagesLinkToWhatExists(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s:]*)(#[^)\s]*)?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	names, err := fs.Glob(os.DirFS("docs"), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range names {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(readPage(t, page), ""), -1) {
			to := path.Join("docs", m[1])
			if m[1] == "" {
				to = "docs/" + page
			}
			text, err := os.ReadFile(to)
			if info, statErr := os.Stat(to); err != nil && (statErr != nil || !info.IsDir()) {
				t.Errorf("docs/%s links to %s: %v", page, to, err)
				continue
			}
			found := m[2] == ""
			for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
				found = found || "#"+anchor(h[1]) == m[2]
			}
			if !found {
				t.Errorf("docs/%s links to %s%s: there is no such heading", page, to, m[2])
			}
		}
	}
}

// anchor returns what a heading is linked by.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}
