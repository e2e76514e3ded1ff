package claims

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/yamldoc"
)

const testLedger = "testdata/ledger"

func small(t *testing.T) *Ledger {
	t.Helper()
	l, err := LoadFS(os.DirFS(testLedger))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func claimOf(t *testing.T, l *Ledger, id ID) *Claim {
	t.Helper()
	c, err := l.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// valuesByText compares values by what they say.
var valuesByText = cmp.Comparer(func(a, b Value) bool { return a.kind == b.kind && a.String() == b.String() })

func TestLoad(t *testing.T) {
	l := small(t)
	if len(l.Claims) != 13 || len(l.Unseen) != 1 || len(l.Facts) != 2 || len(l.Ambiguities) != 2 || len(l.Arithmetic) != 1 {
		t.Fatalf("%d claims, %d unseen, %d facts, %d ambiguities, %d checks",
			len(l.Claims), len(l.Unseen), len(l.Facts), len(l.Ambiguities), len(l.Arithmetic))
	}
	want := &Claim{
		ID: "switchml.s3.stuck", Paper: "switchml", Where: "§1", Statement: "A statement of switchml.s3.stuck", Kind: KindAbsolute,
		Origin: Stated, Metric: "a metric", Value: NumberValue(1.8), Unit: "x", Comparator: "-",
		Conditions: Fields{{"workers", NumberValue(6)}, {"link", WordValue("100Gbps")}}, Method: Virtual, Evidence: EvidenceSimulated, How: "count",
		Tolerance: Tolerance{"as the check", "it is stated"}, Check: Within{Of: 1.8, Margin: 0.1, Relative: true}, NullValue: NumberValue(1),
		PassMeans: MeansNumber, Difficulty: 1, KnownFailure: &KnownFailure{Measured: NumberValue(1.2), Reason: "the paper's compute time is not printed"},
	}
	if diff := cmp.Diff(want, claimOf(t, l, want.ID), valuesByText); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for id, want := range map[ID]Check{
		"trio.fig1.speedup": Range{1.5, 2},
		"trio.fig1.live":    Min{1.4},
		"trio.fig2.grows":   Monotone{Direction: Increasing, Rho: 0.9},
		"trio.tab1.size":    Equal{NumberValue(98)},
		"trio.s1.hardware":  None{},
		"switchml.tab1.bert": Parts{[]Part{
			{"comm_pct", Within{Of: 67, Margin: 3}}, {"batch_ms", Within{Of: 1677, Margin: 0.01, Relative: true}},
		}, []string{"batch_ms"}},
		"switchml.s3.order": Order{Groups: [][]string{{"ina"}, {"ps", "ring"}, {"tcp"}}},
		"switchml.s3.bound": Max{2.1},
	} {
		if diff := cmp.Diff(want, claimOf(t, l, id).Check, valuesByText); diff != "" {
			t.Errorf("%s: -want +got:\n%s", id, diff)
		}
	}
	if got := claimOf(t, l, "trio.fig1.live").SameAs; len(got) != 1 || got[0] != "trio.fig1.speedup" {
		t.Errorf("same_as %v", got)
	}
	if got := l.Ambiguities[0]; got.Default != "skip" || got.Severity != SeverityHigh || got.Papers[0] != "trio" {
		t.Errorf("ambiguity %+v", got)
	}
	if got, want := l.Facts[1].Value.String(), "(job_id, 8), (block_id, 32)"; got != want {
		t.Errorf("fact %q, want %q", got, want)
	}
}

// edited is the small ledger with the first occurrence of old replaced.
func edited(t *testing.T, file, old, new string) fs.FS {
	t.Helper()
	names, err := filepath.Glob(testLedger + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := fstest.MapFS{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) == file {
			if !strings.Contains(string(text), old) {
				t.Fatalf("%s does not hold %q any more", file, old)
			}
			text = []byte(strings.Replace(string(text), old, new, 1))
		}
		dir[filepath.Base(name)] = &fstest.MapFile{Data: text}
	}
	return dir
}

// Everything that may be wrong with an entry, and what is said of it.
func TestBadEntries(t *testing.T) {
	const within = "{op: within, of: 77, abs: 0.5}"
	var report strings.Builder
	for _, c := range []struct{ name, file, old, new string }{
		{"missing field", "trio.yaml", "  unit: \"%\"\n", ""},
		{"missing check", "trio.yaml", "  check: " + within + "\n", ""},
		{"missing id", "trio.yaml", "- id: trio.fig1.goodput\n  paper", "- paper"},
		{"missing list", "trio.yaml", "claims:\n", "claims:\nrest:\n"},
		{"missing flag", "trio.yaml", "  headline: false\n", ""},
		{"unknown field", "trio.yaml", "  difficulty: 1\n", "  dificulty: 1\n  difficulty: 1\n"},
		{"unknown key of the file", "trio.yaml", "claims:\n", "more: 1\nclaims:\n"},
		{"no evidence", "trio.yaml", "  evidence: unit\n", ""},
		{"unknown evidence", "trio.yaml", "evidence: unit", "evidence: untis"},
		{"evidence of another method", "trio.yaml", "evidence: unit", "evidence: live"},
		{"arithmetic that is no evidence of it", "atp.yaml", "evidence: arithmetic", "evidence: unit"},
		{"evidence of what nothing checks", "trio.yaml", "  method: none\n", "  method: none\n  evidence: live\n"},
		{"no null value", "trio.yaml", "  null_value: 1\n", ""},
		{"no null value of a band", "trio.yaml", "  null_value: 100\n", ""},
		{"no null value, and a reason beside one", "trio.yaml", "  null_value: 1\n", "  null_value: 1\n  no_null: there is none\n"},
		{"a reason for no null value where none is needed", "trio.yaml", "  check: {op: monotone", "  no_null: there is none\n  check: {op: monotone"},
		{"a reason for no null value that passes", "trio.yaml", "  null_value: 1\n", "  no_null: there is none\n  null_passes: true\n"},
		{"null value of all parts at once", "switchml.yaml", "  null_value: {comm_pct: 0}\n", "  null_value: 0\n"},
		{"null value of a part that is fed in", "switchml.yaml", "  null_value: {comm_pct: 0}\n", "  null_value: {batch_ms: 0}\n"},
		{"null value of an order that allows equal ones", "switchml.yaml", "  no_null: the order is of names that nothing makes equal\n", "  null_value: 2\n"},
		{"null value that is yes", "trio.yaml", "  null_value: 100\n", "  null_value: true\n"},
		{"property of a band that the null value is in", "trio.yaml", "pass_means: number\n", "pass_means: property\n  null_passes: true\n"},
		{"null value in the band", "trio.yaml", "  null_value: 1\n", "  null_value: 1.6\n"},
		{"null value in the band, called a number", "trio.yaml", "  null_value: 1\n", "  null_value: 1.6\n  null_passes: true\n"},
		{"null value outside, said to pass", "trio.yaml", "  null_value: 1\n", "  null_value: 1\n  null_passes: true\n"},
		{"null value of no part", "trio.yaml", "  null_value: 1\n", "  null_value: {speedup: 1}\n"},
		{"null value that is no number", "trio.yaml", "  null_value: 1\n", "  null_value: none\n"},
		{"null value of parts", "switchml.yaml", "  null_value: {comm_pct: 0}\n", "  null_value: {comm: 0}\n"},
		{"property that a null passes", "trio.yaml", "  pass_means: direction\n  null_passes: true", "  pass_means: property\n  null_passes: true"},
		{"unknown method", "trio.yaml", "method: unit", "method: unti"},
		{"unknown kind", "trio.yaml", "kind: absolute", "kind: absolut"},
		{"unknown origin", "trio.yaml", "origin: stated", "origin: 5"},
		{"unknown pass_means", "trio.yaml", "pass_means: number\n", "pass_means: numbr\n"},
		{"unknown op", "trio.yaml", "op: within", "op: withn"},
		{"unknown paper", "trio.yaml", "paper: trio", "paper: tiro"},
		{"id of another paper", "trio.yaml", "- id: trio.fig1.goodput", "- id: atp.fig1.goodput"},
		{"claim of another file", "trio.yaml", "- id: trio.fig1.goodput\n  paper: trio", "- id: atp.fig1\n  paper: atp"},
		{"id with a space", "trio.yaml", "- id: trio.fig1.goodput", "- id: trio.fig1 goodput"},
		{"duplicate id", "trio.yaml", "- id: trio.fig2.grows", "- id: trio.fig1.goodput"},
		{"duplicate of a value that is predicted", "unseen.yaml", "trio.fig1.unseen", "trio.fig2.grows"},
		{"same_as of nothing", "trio.yaml", "same_as: [trio.fig1.speedup]", "same_as: [trio.fig1.spedup]"},
		{"same_as of none", "trio.yaml", "same_as: [trio.fig1.speedup]", "same_as: []"},
		{"same_as without a list", "trio.yaml", "same_as: [trio.fig1.speedup]", "same_as: trio.fig1.speedup"},
		{"same_as of a number", "trio.yaml", "same_as: [trio.fig1.speedup]", "same_as: [5]"},
		{"infinite value", "trio.yaml", "value: 77", "value: {a: .inf}"},
		{"a claim that is a word", "atp.yaml", "- id: atp", "- word\n- id: atp"},
		{"a known failure that is a word", "switchml.yaml", "{measured: 1.2, reason: the paper's compute time is not printed}", "slow"},
		{"same_as of itself", "trio.yaml", "same_as: [trio.fig1.speedup]", "same_as: [trio.fig1.live]"},
		{"empty text", "trio.yaml", "how: count", "how: ''"},
		{"number for text", "trio.yaml", "how: count", "how: 5"},
		{"no value", "trio.yaml", "  value: 77", "  value: ~"},
		{"difficulty beyond 5", "trio.yaml", "difficulty: 1", "difficulty: 6"},
		{"words for a flag", "trio.yaml", "headline: false", "headline: no way"},
		{"conditions of a word", "trio.yaml", "{workers: 6, link: 100Gbps}", "none"},
		{"tolerance without why", "trio.yaml", ", why: it is stated}", "}"},
		{"known failure without reason", "switchml.yaml", "{measured: 1.2, reason: the paper's compute time is not printed}", "{measured: 1.2}"},
		{"text over lines in brackets", "trio.yaml", "why: it is stated}", "why: it is\n    stated}"},
		{"key twice", "trio.yaml", "  how: count", "  metric: more"},
		{"anchor", "trio.yaml", "value: 77", "value: &x 77"},
		{"two documents", "atp.yaml", "- id: atp", "---\n- id: atp"},

		{"not-checkable with a method", "trio.yaml", "pass_means: number\n", "pass_means: not-checkable\n"},
		{"no check with a method", "trio.yaml", within, "{op: none}"},
		{"a check without a method", "trio.yaml", "{op: none}", within},
		{"failure of what is not checked", "trio.yaml", "pass_means: not-checkable\n", "pass_means: not-checkable\n  known_failure: {measured: 1, reason: none}\n"},
		{"undetermined and not checked", "trio.yaml", "pass_means: not-checkable\n", "pass_means: not-checkable\n  undetermined: {measured: 1, reason: none}\n"},
		{"undetermined and known to fail", "switchml.yaml", "  undetermined: {", "  known_failure: {measured: 1, reason: none}\n  undetermined: {"},
		{"undetermined without reason", "switchml.yaml", "{measured: 9 to 130, reason: the cost of an instruction is not printed}", "{measured: 1}"},
		{"undetermined as a flag", "switchml.yaml", "{measured: 1.2, reason: the paper's compute time is not printed}", "{measured: 1.2, undetermined: true, reason: none}"},
		{"input without a reason", "trio.yaml", "  input_reason: workload input\n", ""},
		{"a reason for no input", "trio.yaml", "  difficulty: 1\n", "  difficulty: 1\n  input_reason: none\n"},

		{"unknown paper of an ambiguity", "ambiguities.yaml", "[trio]", "[trio, x]"},
		{"default without choices", "ambiguities.yaml", "  choices: [skip, naive]\n", ""},
		{"default that is no choice", "ambiguities.yaml", "default: skip", "default: skp"},
		{"choices without a reading", "ambiguities.yaml", "  reading: A worker that fell behind drains results and goes on with the newest iteration.\n", ""},
		{"choice twice", "ambiguities.yaml", "[skip, naive]", "[skip, skip]"},
		{"unknown severity", "ambiguities.yaml", "severity: high", "severity: hihg"},
		{"arithmetic without result", "ambiguities.yaml", "result: '306', ", ""},
		{"fact twice", "facts.yaml", "trio.header", "trio.window"},
		{"unseen without needs", "unseen.yaml", "needs: trio-pfe, ", ""},
	} {
		fmt.Fprintf(&report, "# %s\n%v\n\n", c.name, fault(t, c.file, edited(t, c.file, c.old, c.new)))
	}
	golden.Equal(t, "bad-entries.txt", report.String())
}

// Every form of a check, with what may be wrong in it.
func TestBadChecks(t *testing.T) {
	var report strings.Builder
	for _, check := range []string{
		"5",
		"{of: 77}",
		"{op: within, of: 77}",
		"{op: within, abs: 77}",
		"{op: within, of: 77, abs: 1, rel: 0.1}",
		"{op: within, of: 77, abs: -1}",
		"{op: within, of: 0, rel: 0.1}",
		"{op: within, of: 1e8, abs: 1}",
		"{op: within, of: .inf, abs: 1}",
		"{op: within, of: 77, abs: 0.5, min: 3}",
		"{op: range, min: 3, max: 2}",
		"{op: range, min: 3}",
		"{op: min, value: few}",
		"{op: max}",
		"{op: equal}",
		"{op: equal, value: {a: 1}}",
		"{op: equal, value: [1, [2]]}",
		"{op: order}",
		"{op: order, names: [a]}",
		"{op: order, names: [[a], [b, a]]}",
		"{op: order, names: [[a], []]}",
		"{op: order, names: [a, 5]}",
		"{op: order, names: [a, b], strict: 1}",
		"{op: monotone, rho: 0.9}",
		"{op: monotone, direction: up, rho: 0.9}",
		"{op: monotone, direction: increasing}",
		"{op: monotone, direction: increasing, rho: 1.1}",
		"{op: monotone, direction: increasing, rho: 0.9, strict: true}",
		"{op: parts, parts: {}}",
		"{op: parts, parts: {a: 5}}",
		"{op: parts, parts: {a: {op: parts}}}",
		"{op: parts, parts: {a: {op: min, value: 1}}, inputs: [b]}",
		"{op: parts, parts: {a: {op: min, valu: 1}}}",
	} {
		dir := edited(t, "trio.yaml", "{op: within, of: 77, abs: 0.5}", check)
		fmt.Fprintf(&report, "%v\n\n", fault(t, "trio.yaml", dir))
	}
	golden.Equal(t, "bad-checks.txt", report.String())
}

// fault returns the error of a ledger, which must say where in the file it is.
func fault(t *testing.T, file string, dir fs.FS) error {
	t.Helper()
	_, err := LoadFS(dir)
	if err == nil {
		t.Fatalf("%s loads", file)
	}
	if at := regexp.MustCompile(`^` + regexp.QuoteMeta(file) + `:[1-9][0-9]*:[1-9][0-9]*: .*\n  .*\n *\^`); !at.MatchString(err.Error()) {
		t.Errorf("error without its place:\n%v", err)
	}
	return err
}

// loads expects an error of this text; of its lines those that quote the file
// are left away.
func loads(t *testing.T, dir fs.FS, want string) {
	t.Helper()
	_, err := LoadFS(dir)
	if err == nil {
		t.Fatal("the ledger loads")
	}
	var got []string
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, "  ") {
			got = append(got, strings.TrimSuffix(line, "\n"))
		}
	}
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestManyFaults(t *testing.T) {
	var b strings.Builder
	b.WriteString("claims:\n")
	for range 30 {
		b.WriteString("- id: 5\n")
	}
	dir := edited(t, "atp.yaml", "claims:", "claims:").(fstest.MapFS)
	dir["atp.yaml"] = &fstest.MapFile{Data: []byte(b.String())}
	_, err := LoadFS(dir)
	if err == nil || strings.Count(err.Error(), "atp.yaml:") != yamldoc.MaxFaults+1 || !strings.Contains(err.Error(), " more") {
		t.Errorf("error\n%v", err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := edited(t, "atp.yaml", "claims:", "claims:").(fstest.MapFS)
	delete(dir, "xagg.yaml")
	dir["facts.yaml"] = &fstest.MapFile{}
	dir["unseen.yaml"] = &fstest.MapFile{Data: []byte("[1]")}
	loads(t, dir, "read the ledger: open xagg.yaml: file does not exist\n"+
		"unseen.yaml:1:1: the file: keys with values are needed here\n"+
		"facts.yaml: the file is empty")
}
