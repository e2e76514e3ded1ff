package yamldoc

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// colour is a text type that takes certain words.
type colour string

func (colour) Words() []string { return []string{"red", "green"} }

// pair reads itself from a list of two.
type pair [2]string

func (pair) Wanted() string { return "write [a, b]" }

func (p *pair) ReadYAML(n Node) {
	items := n.List()
	if len(items) != 2 {
		n.Fault("two items are needed here")
		return
	}
	p[0], _ = items[0].Text()
	p[1], _ = items[1].Text()
}

type inner struct {
	Share float64 `yaml:"share"`
	On    bool    `yaml:"on"`
}

type sheet struct {
	Name    string   `yaml:"name"`
	Count   int      `yaml:"count"`
	Colours []colour `yaml:"colours"`
	Paint   colour   `yaml:"paint"`
	Inner   inner    `yaml:"inner"`
	Pair    pair     `yaml:"pair"`
	Note    string   `yaml:"note,omitempty"`
	Margin  *float64 `yaml:"margin,omitempty"`
	Rest    []Node   `yaml:"rest,omitempty"`
	left    int      // has no key
}

const whole = `name: one
count: 3
colours: [red, green]
paint: green
inner: {share: 0.5, on: true}
pair: [x, y]
margin: 2
meta: {any: thing}
`

func parse(t *testing.T, text string) *Document {
	t.Helper()
	d := &Document{Name: "f"}
	if err := d.Parse([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return d
}

// read reads all of a file, or says what is wrong with it.
func read(t *testing.T, text string) (s sheet, err error) {
	t.Helper()
	d := parse(t, text)
	top, _ := d.Find("")
	if ok := top.Read(&s, "meta"); ok != (d.Err() == nil) {
		t.Errorf("all went well is %v with %v", ok, d.Err())
	}
	return s, d.Err()
}

func TestRead(t *testing.T) {
	got, err := read(t, whole)
	margin := 2.0
	want := sheet{"one", 3, []colour{"red", "green"}, "green", inner{0.5, true}, pair{"x", "y"}, "", &margin, nil, 0}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sheet{})); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"name: one\n", "", "f:1:1: the file: name is missing: write text"},
		{"name: one", "nam: one", "f:1:1: the file: name is missing: write text; f:1:1: the file: unknown key \"nam\"; did you mean \"name\"?"},
		{"one", "''", "f:1:7: the file: name: the text is empty"},
		{"one", "7", "f:1:7: the file: name: text is needed here; a number or yes as text stands in quotes"},
		{"one", "&a one", "f:1:7: the file: name: text is needed here; a number or yes as text stands in quotes"},
		{"count: 3\n", "", "f:1:1: the file: count is missing: write a whole number"},
		{"3", "3.5", "f:2:8: the file: count: a whole number is needed here"},
		{"3", "99999999999999999999", "f:2:8: the file: count: a whole number is needed here"},
		{"[red, green]", "red", "f:3:10: the file: colours: a list is needed here"},
		{"[red, green]", "[]", "f:3:10: the file: colours: the list is empty"},
		{"[red, green]", "[red, red]", "f:3:16: the file: colours: \"red\" is there twice"},
		{"[red, green]", "[rot]", "f:3:10: the file: colours: \"rot\": allowed are red, green"},
		{"paint: green\n", "", "f:1:1: the file: paint is missing: allowed are red, green"},
		{"paint: green", "paint: gren", "f:4:8: the file: paint: \"gren\": allowed are red, green; did you mean \"green\"?"},
		{"inner: {share: 0.5, on: true}\n", "", "f:1:1: the file: inner is missing: write {share: ..., on: ...}"},
		{"{share: 0.5, on: true}", "{share: .inf, on: yes, off: no}", "f:5:16: the file: inner: share: a number is needed here; " +
			"f:5:26: the file: inner: on: true or false is needed here; f:5:31: the file: inner: unknown key \"off\""},
		{"0.5", "1e8", "f:5:16: the file: inner: share: a number is needed here: write a point before the exponent, as in 1.0e+8"},
		{"{share: 0.5, on: true}", "none", "f:5:8: the file: inner: keys with values are needed here"},
		{"[x, y]", "[x]", "f:6:7: the file: pair: two items are needed here"},
		{"pair: [x, y]\n", "", "f:1:1: the file: pair is missing: write [a, b]"},
	} {
		_, err := read(t, strings.Replace(whole, c.old, c.new, 1))
		if got := messages(err); got != c.want {
			t.Errorf("%s for %s:\n got %s\nwant %s", c.new, c.old, got, c.want)
		}
	}
}

// messages joins errors without the lines that they quote.
func messages(err error) string {
	if err == nil {
		return "no error"
	}
	var out []string
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, "  ") {
			out = append(out, strings.TrimSuffix(line, "\n"))
		}
	}
	return strings.Join(out, "; ")
}

func TestErrorsQuoteTheLine(t *testing.T) {
	d := parse(t, "a: 1\r\nb:\r\n  c: [1, 2]\r\n")
	n, ok := d.Find("b.c[1]")
	if want := "f:3:10: too many\n    c: [1, 2]\n           ^"; !ok || n.Errorf("too %s", "many").Error() != want {
		t.Errorf("got %v, want %s", n.Errorf("too %s", "many"), want)
	}
	if n, ok := d.Find("b"); !ok || n.Position().Line != 3 || n.Position().Column != 3 {
		t.Errorf("a mapping begins at %v", n.Position())
	}
	if _, ok := d.Find("b.d"); ok {
		t.Error("a key that is not there is found")
	}
	d.Inline = true
	if got := n.Errorf("too many").Error(); got != "f: too many" {
		t.Errorf("inline: %s", got)
	}
}

func TestDecode(t *testing.T) {
	type file struct {
		Size  uint64   `yaml:"size"`
		Words []string `yaml:"words"`
		Inner inner    `yaml:"inner"`
	}
	got := file{Size: 7, Inner: inner{Share: 0.5}}
	if err := parse(t, "words: [1, b]\ninner: {on: true}\n").Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file{7, []string{"1", "b"}, inner{0.5, true}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for text, want := range map[string]string{
		"size: -1":         "f:1:7: a whole number, not negative, is needed here",
		"size: ~":          "f:1:7: the value is missing: write one, or leave the key out",
		"size: !!int 3":    "f:1:7: tags are not read: write the value itself",
		"sise: 1":          `f:1:1: unknown key "sise"; did you mean "size"?`,
		"share: 1":         `f:1:1: unknown key "share": it belongs under inner`,
		"inner: {size: 1}": `f:1:9: unknown key "size": it belongs at the top level`,
		"inner: {on: 1}":   "f:1:13: true or false is needed here",
		"words: [[a]]":     "f:1:9: one value is needed here",
		"words: a":         "f:1:8: a list is needed here, as in [a, b]",
		"inner: 1":         "f:1:8: keys with values are needed here, as in {hosts: 6}",
		"shard: 1":         `f:1:1: unknown key "shard"; did you mean "share", under inner?`,
		"inner: {word: 1}": `f:1:9: unknown key "word"; did you mean "words", at the top level?`,
		"size: x\nwords: a\ninner: {share: y, on: 3}": "f:1:7: a whole number, not negative, is needed here; f:2:8: a list is needed here, as in [a, b]; f:3:16: a number is needed here",
		"zzzz: 1": `f:1:1: unknown key "zzzz": allowed are size, words, inner`,
		"sise: 1\ninner: {shar: 1, onn: true, of: 1}\nsize: x": `f:1:1: unknown key "sise"; did you mean "size"?; f:2:9: unknown key "shar"; did you mean "share"?; ` +
			`f:2:18: unknown key "onn"; did you mean "on"?; f:2:29: unknown key "of"; did you mean "on"?; f:3:7: a whole number, not negative, is needed here`,
	} {
		if err := parse(t, text).Decode(new(file)); messages(err) != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// No message of the parser comes through with its own words.
func TestNoWordsOfTheParser(t *testing.T) {
	for _, text := range []string{
		"a: [1", "a: {1", "a: ]", "a: }", "]", "}", "a: [,]", "a: {,}", "a: {b: 1 c: 2}", "a: [b c: d: e]", "? a", "? [a]\n: b", "a: |x\n b", "a: >9\n b", "a: @b", "a: `b`",
		"%YAML 3\n---\na: 1", "%TAG\n---\na: 1", "a: !!int", "a: &", "a: *", "&a: 1", "a: &x &y 1", "- a\nb: 1", "b: 1\n- a", "a:\n  - b\n c", "a: b\n  c: d", "'a\nb': 1", "a: \"\\q\"",
		"a: 1\n...\nb: 2", "--- a: 1", "a: - b", "[a]: 1", "{a: 1}: 2", "a: [\n", "a\n", "\x00", "a: \x01", "<<: 1", "a: |\n\tb", "!!x a: 1", "a: {\"b\":1,}", "a:b", ": 1",
	} {
		d := &Document{Name: "f"}
		err := d.Parse([]byte(text))
		if err == nil {
			err = d.Decode(&sheet{})
		}
		if err == nil {
			continue
		}
		message, _, _ := strings.Cut(err.Error(), "\n")
		for _, word := range []string{"sequence", "token", "node", "scalar", "specified", "unmarshal", "Go ", "struct", "context", "flow", "map ", "not found", "could not"} {
			if strings.Contains(message, word) {
				t.Errorf("%q: %s", text, message)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                "f: the file is empty",
		"a: [1":           "f:1:4: the list that begins here lacks its ]",
		"a: 1\na: 2":      `f:2:1: key "a" is there twice: line 1 has it already`,
		"a: {b: 1":        "f:1:4: the mapping that begins here lacks its }",
		"]":               "f:1:1: there is no [ for this ]",
		"a: \"b":          "f:1:4: the text that begins here lacks its closing \"",
		"a: 'b":           "f:1:4: the text that begins here lacks its closing '",
		"a: b: c":         "f:1:4: a second colon belongs to this value: put text with a colon in quotes, or mind the indent of the next line",
		"\ta: 1":          "f:1:2: a tab stands here: indent with blanks",
		"a: 1\n b: 2":     "f:1:4: a second colon belongs to this value: put text with a colon in quotes, or mind the indent of the next line",
		"a: 1\nb":         "f:2:1: a key with a value is needed here, as in hosts: 6",
		"a: *x\nb: [":     "f:2:4: the list that begins here lacks its ]",
		"a: 1\n...\nb: 2": "f:3:1: a second document begins: a file holds one",
		"a: 1\n---":       "f:2:1: a second document begins: a file holds one",
	} {
		err := (&Document{Name: "f"}).Parse([]byte(text))
		if messages(err) != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
		if errors.Is(err, ErrEmpty) != (text == "") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := read(t, "[1]"); messages(err) != "f:1:1: the file: keys with values are needed here" {
		t.Errorf("a list at the top: %v", err)
	}
}

func TestFaultsAreCounted(t *testing.T) {
	d := parse(t, "list: ["+strings.Repeat("1, ", MaxFaults+4)+"1]")
	list, _ := d.Find("list")
	for _, item := range list.List() {
		item.Fault("wrong")
	}
	if got := d.Err().Error(); strings.Count(got, "wrong") != MaxFaults || !strings.HasSuffix(got, "\nf: and 5 more") {
		t.Errorf("faults:\n%s", got)
	}
}

// What would keep the parser busy, or grow when it is decoded, is refused first.
func TestRefusedBeforeItIsRead(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"size":    {strings.Repeat("a: 1\n", MaxSize/5+1), "f: the file is larger than the 1048576 bytes that are read"},
		"flow":    {strings.Repeat("[\n", MaxDepth+1), "f:501: more than 500 lists and mappings stand in one another"},
		"block":   {"a:\n" + strings.Repeat("- ", MaxDepth+1) + "x", "f:2: more than 500 lists and mappings stand in one another"},
		"aliases": {"a: &a [1, 1]\nb: [*a, *a]\n", "f:1:4: anchors and aliases are not read: write the value itself wherever it is wanted"},
	} {
		d := &Document{Name: "f"}
		err := d.Parse([]byte(c.text))
		if err == nil {
			err = d.Decode(&map[string]any{})
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %.200v, want %s", name, err, c.want)
		}
	}
	for _, text := range []string{"a: '[[[['\n" + strings.Repeat("b: [1] # [\n# [\n", MaxDepth), strings.Repeat("- - - 1\n", MaxDepth)} {
		if line := tooDeep(strings.Split(text, "\n")); line != 0 {
			t.Errorf("line %d of a flat file is too deep", line)
		}
	}
}
