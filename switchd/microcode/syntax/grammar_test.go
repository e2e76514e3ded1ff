package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const reference = "../../../docs/microcode.md"

// A production is a part of the reference's grammar: "seq" and "alt" of parts,
// "opt" and "rep" of one, "word" for a terminal, and "name" for a production or
// one of the classes name, number and label.
type production struct {
	op    string
	parts []*production
	text  string
}

// A grammar is the EBNF of the reference.
type grammar map[string]*production

// ebnfTokens are what the EBNF of the reference is made of.
var ebnfTokens = regexp.MustCompile(`\(\*[\s\S]*?\*\)|"[^"]*"|\w+|[={}()\[\]|.]`)

// readGrammar reads the EBNF of the reference.
func readGrammar(t *testing.T) grammar {
	t.Helper()
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```ebnf\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatalf("%s has no grammar", reference)
	}
	r := ebnfReader{t: t}
	for _, w := range ebnfTokens.FindAllString(string(block[1]), -1) {
		if !strings.HasPrefix(w, "(*") {
			r.words = append(r.words, w)
		}
	}
	g := grammar{}
	for len(r.words) > 0 {
		name := r.next()
		r.expect("=")
		if g[name] != nil {
			t.Fatalf("the grammar has %s twice", name)
		}
		g[name] = r.alternatives()
		r.expect(".")
	}
	return g
}

type ebnfReader struct {
	t     *testing.T
	words []string
}

func (r *ebnfReader) peek() string {
	if len(r.words) == 0 {
		return ""
	}
	return r.words[0]
}

func (r *ebnfReader) next() string {
	w := r.peek()
	r.words = r.words[min(1, len(r.words)):]
	return w
}

func (r *ebnfReader) expect(w string) {
	r.t.Helper()
	if got := r.next(); got != w {
		r.t.Fatalf("the grammar has %q where %q is due, before %.8q", got, w, r.words)
	}
}

func (r *ebnfReader) alternatives() *production {
	all := &production{op: "alt", parts: []*production{r.sequence()}}
	for r.peek() == "|" {
		r.next()
		all.parts = append(all.parts, r.sequence())
	}
	return all
}

func (r *ebnfReader) sequence() *production {
	s := &production{op: "seq"}
	for {
		switch w := r.peek(); {
		case w == "" || strings.Contains("|.)]}", w):
			return s
		case w == "{":
			s.parts = append(s.parts, r.enclosed("rep", "}"))
		case w == "[":
			s.parts = append(s.parts, r.enclosed("opt", "]"))
		case w == "(":
			s.parts = append(s.parts, r.enclosed("seq", ")"))
		case w[0] == '"':
			s.parts = append(s.parts, &production{op: "word", text: strings.Trim(r.next(), `"`)})
		default:
			s.parts = append(s.parts, &production{op: "name", text: r.next()})
		}
	}
}

func (r *ebnfReader) enclosed(op, end string) *production {
	r.next()
	p := &production{op: op, parts: []*production{r.alternatives()}}
	r.expect(end)
	return p
}

// matches returns where what starts at token i can end, as a set.
func (g grammar) matches(p *production, toks []token, i int, known map[string]map[int]bool) map[int]bool {
	switch p.op {
	case "word":
		return ends(i < len(toks) && toks[i].text == p.text, i+1)
	case "name":
		return g.named(p.text, toks, i, known)
	case "alt":
		out := map[int]bool{}
		for _, part := range p.parts {
			for e := range g.matches(part, toks, i, known) {
				out[e] = true
			}
		}
		return out
	case "seq":
		at := map[int]bool{i: true}
		for _, part := range p.parts {
			next := map[int]bool{}
			for from := range at {
				for e := range g.matches(part, toks, from, known) {
					next[e] = true
				}
			}
			at = next
		}
		return at
	}
	// opt and rep
	out, todo := map[int]bool{i: true}, []int{i}
	for len(todo) > 0 {
		from := todo[0]
		todo = todo[1:]
		for e := range g.matches(p.parts[0], toks, from, known) {
			if !out[e] {
				out[e] = true
				if p.op == "rep" {
					todo = append(todo, e)
				}
			}
		}
	}
	return out
}

func (g grammar) named(name string, toks []token, i int, known map[string]map[int]bool) map[int]bool {
	switch name {
	case "name", "label":
		return ends(i < len(toks) && toks[i].kind == kindIdent, i+1)
	case "number":
		return ends(i < len(toks) && toks[i].kind == kindNumber, i+1)
	}
	if g[name] == nil {
		panic("the grammar lacks " + name)
	}
	key := fmt.Sprint(name, i)
	if known[key] == nil {
		known[key] = g.matches(g[name], toks, i, known)
	}
	return known[key]
}

func ends(ok bool, i int) map[int]bool {
	if ok {
		return map[int]bool{i: true}
	}
	return nil
}

// reserved are words that are none but where a declaration starts.
var reserved = []string{"packet", "timer", "counter", "policer", "sram", "dram", "hash", "fields", "route", "filter", "event", "statistics"}

// follows reports whether a source is a file of the grammar.
func (g grammar) follows(src string) bool {
	l := lexer{src: src, pos: Pos{Line: 1, Col: 1}}
	var toks []token
	starts := true // a declaration, or perhaps a statement
	for t := l.next(); t.kind != kindEOF; t = l.next() {
		if starts && slices.Contains(reserved, t.text) {
			t.kind = kind(t.text)
		}
		toks = append(toks, t)
		starts = slices.Contains([]string{";", "}", "end"}, t.text)
	}
	return l.fail == nil && g.named("file", toks, 0, map[string]map[int]bool{})[len(toks)]
}

// A writer draws texts of a grammar. When it has written its budget it takes the
// shortest way to the end.
type writer struct {
	*rapid.T
	grammar
	budget int // words
	words  []string

	used     map[*production]bool // of all texts
	flattest map[*production]int  // alternative
}

// contexts are what stands before and after a production in a file.
var contexts = []struct{ before, production, after string }{
	{"", "file", ""}, {"", "struct", ";"}, {"virtual a =", "expr", ";"}, {"begin", "statement", "end"},
	{"begin switch ( a ) {", "arm", "} end"},
}

func (w *writer) write(p *production) {
	w.used[p] = true
	switch p.op {
	case "word":
		w.words = append(w.words, p.text)
	case "name":
		w.named(p.text)
	case "alt":
		w.write(p.parts[w.choice(p)])
	case "seq":
		for _, part := range p.parts {
			w.write(part)
		}
	case "opt", "rep":
		for n := 0; len(w.words) < w.budget && (n == 0 || p.op == "rep"); n++ {
			if !rapid.SampledFrom([]bool{true, true, false}).Draw(w.T, "more") {
				return
			}
			w.write(p.parts[0])
		}
	}
}

func (w *writer) named(name string) {
	switch name {
	case "name", "label":
		name = rapid.SampledFrom([]string{"a", "b1", "_c", "u32"}).Draw(w.T, "name")
	case "number":
		name = rapid.SampledFrom([]string{"0", "7", "0x1f", "0b1", "1_0"}).Draw(w.T, "number")
	default:
		if w.grammar[name] == nil {
			w.Fatalf("the grammar lacks %s", name)
		}
		w.write(w.grammar[name])
		return
	}
	w.words = append(w.words, name)
}

// choice picks an alternative; beyond the budget, the flattest.
func (w *writer) choice(p *production) int {
	if len(w.words) < w.budget {
		return rapid.IntRange(0, len(p.parts)-1).Draw(w.T, "alternative")
	}
	best, ok := w.flattest[p]
	for i := range p.parts {
		if !ok && w.least(p.parts[i], 12) < w.least(p.parts[best], 12) {
			best = i
		}
	}
	w.flattest[p] = best
	return best
}

// least is how deep productions nest in the flattest text of one, at most limit.
func (g grammar) least(p *production, limit int) int {
	switch {
	case limit == 0 || p.op == "word" || p.op == "opt" || p.op == "rep" || p.op == "name" && g[p.text] == nil:
		return 0
	case p.op == "name":
		return 1 + g.least(g[p.text], limit-1)
	}
	worst, best := 0, limit
	for _, part := range p.parts {
		n := g.least(part, limit)
		worst, best = max(worst, n), min(best, n)
	}
	if p.op == "alt" {
		return best
	}
	return worst
}

// TestGrammarOfReference writes texts of the reference's grammar, which Parse must
// take, and changes a word of each, which Parse must take if and only if the
// grammar still does.
func TestGrammarOfReference(t *testing.T) {
	g := readGrammar(t)
	used, flattest, refused := map[*production]bool{}, map[*production]int{}, 0
	rapid.Check(t, func(rt *rapid.T) {
		for _, c := range contexts {
			w := &writer{T: rt, grammar: g, used: used, flattest: flattest, words: strings.Fields(c.before)}
			w.budget = rapid.IntRange(5, 40).Draw(rt, "budget")
			w.write(g[c.production])
			w.words = append(w.words, strings.Fields(c.after)...)
			src := strings.Join(w.words, " ")
			if _, err := Parse("x.mc", src); err != nil {
				rt.Fatalf("%v\nin %s", err, src)
			}
			src = strings.Join(change(rt, w.words), " ")
			_, err := Parse("x.mc", src)
			if want := g.follows(src); (err == nil) != want {
				rt.Fatalf("the grammar takes it: %v; Parse: %v\n%s", want, err, src)
			}
			if err != nil {
				refused++
			}
		}
	})
	if testing.Short() {
		return // too few texts for what follows
	}
	for name, p := range g {
		if !used[p] {
			t.Errorf("no text had a production %s", name)
		}
	}
	if refused == 0 {
		t.Error("every changed text was taken")
	}
}

// change drops, doubles or replaces one of the words.
func change(t *rapid.T, words []string) []string {
	if len(words) == 0 {
		return words
	}
	i := rapid.IntRange(0, len(words)-1).Draw(t, "at")
	var with []string
	switch rapid.IntRange(0, 2).Draw(t, "change") {
	case 0:
		with = []string{words[i], words[i]}
	case 1:
		all := slices.Concat(keywords, operators, []string{"a", "1"})
		with = []string{rapid.SampledFrom(all).Draw(t, "with")}
	}
	return slices.Concat(words[:i], with, words[i+1:])
}

// TestSourcesFollowGrammar holds real programs against the reference's grammar.
func TestSourcesFollowGrammar(t *testing.T) {
	g := readGrammar(t)
	for _, pattern := range []string{"../testdata/*.mc", "../../program/*/*.mc"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no sources, %v", pattern, err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !g.follows(string(src)) {
				t.Errorf("%s does not follow the grammar", name)
			}
		}
	}
}
