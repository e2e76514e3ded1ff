package scenarios

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/golden"
)

const fieldsPage = "../docs/scenario-fields.md"

// ours are the systems of this repository: a program may have others, which the page need not know.
func ours() []job.System {
	return slices.DeleteFunc(system.All(), func(s job.System) bool {
		return !strings.HasPrefix(reflect.TypeOf(s).PkgPath(), "github.com/inalab/inalab/harness/system/")
	})
}

// allFields lists the fields of all systems.
func allFields(t *testing.T) []Section {
	t.Helper()
	sections, err := Fields(ours())
	if err != nil {
		t.Fatal(err)
	}
	return sections
}

// Every key has a text, and every text a key.
func TestEveryFieldHasAText(t *testing.T) {
	knobs := map[string]bool{}
	for _, s := range allFields(t) {
		for _, f := range s.Fields {
			if f.Text == "" {
				t.Errorf("%v: %s has no text: write one in fieldtexts.go, or in the KnobTexts of %s", s, f.Key, strings.Join(f.Systems, ", "))
			}
			if len(f.Systems) > 0 {
				knobs[s.Name+"."+f.Key] = true
			}
		}
	}
	for of, texts := range fieldTexts {
		for key := range texts {
			if i := fieldOf(reflect.VisibleFields(of), key); i < 0 {
				t.Errorf("fieldtexts.go: %v has no key %s", of, key)
			}
		}
	}
	said := map[string]string{}
	for _, sys := range ours() {
		for path, text := range knobTexts(sys) {
			if !knobs[path] {
				t.Errorf("%s has a text for %s, which no system reads", sys.Name(), path)
			}
			if said[path] != "" && said[path] != text {
				t.Errorf("%s says of %s %q, and another system %q", sys.Name(), path, text, said[path])
			}
			said[path] = text
		}
	}
}

// A type that stands in a file is met, but for mappings whose keys nobody knows.
func TestEveryTypeIsListed(t *testing.T) {
	var names []string
	for _, s := range allFields(t) {
		names = append(names, s.Name)
	}
	for _, want := range []string{"scenario", "model", "link", "ecn", "at", "terms", "repeat", "trio", "switchml", "atp", "xagg", "ring"} {
		if !slices.Contains(names, want) {
			t.Errorf("no section %s among %s", want, strings.Join(names, ", "))
		}
	}
	met := len(fieldTexts)
	for _, s := range allFields(t) {
		if len(s.Fields) > 0 && len(s.Fields[0].Systems) == 0 {
			met--
		}
	}
	if met != 0 {
		t.Errorf("%d types of fieldtexts.go stand nowhere", met)
	}
}

// A system without texts, and a knob of two systems.
func TestFieldsOfOtherSystems(t *testing.T) {
	sections, err := Fields([]job.System{silent{system.All()[0]}})
	if err != nil {
		t.Fatal(err)
	}
	got := sections[len(sections)-1]
	if got.Name != "silent" || got.Fields[0].Key != "depth" || got.Fields[0].Text != "" || got.Fields[0].Allowed != "2 to 9" {
		t.Errorf("%+v", got)
	}
}

// silent has a knob that it says nothing of.
type silent struct{ job.System }

func (s silent) Configure(k job.Knobs) job.System {
	k.IntOr("silent.depth", 2, 9, 3)
	return s
}

// The page is what the types and the systems say. "make generate" writes it.
func TestFieldsPage(t *testing.T) {
	page := fieldsText(allFields(t))
	if golden.Updating() {
		if err := os.WriteFile(fieldsPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is, err := os.ReadFile(fieldsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(is), page); diff != "" {
		t.Errorf("%s is stale: make generate writes it (-is +wanted):\n%s", fieldsPage, diff)
	}
}

// fieldsText writes the page.
func fieldsText(sections []Section) string {
	var b strings.Builder
	b.WriteString(`# Fields of a scenario

Every key of a scenario file. The page is made of the code by ` + "`make generate`" + `; [scenarios.md](scenarios.md) tells how the
keys work together, and ` + "`inalab list defaults`" + ` prints what a file may leave out. A key without a default is needed.
"Scaled" values are divided by ` + "`scale`" + `. Sections behind the first ones are read by systems: a file needs none that its
systems do not read, and what it says of others is checked all the same.
`)
	for _, s := range sections {
		b.WriteString("\n## " + s.Name + "\n\n")
		knobs := len(s.Fields[0].Systems) > 0
		if !knobs && len(s.Places) > 0 {
			fmt.Fprintf(&b, "Stands at %s.\n\n", words(s.Places))
		}
		columns := []string{"key", "type, unit", "default", "allowed", "meaning"}
		if knobs {
			columns = append(columns, "read by")
		}
		row(&b, columns...)
		b.WriteString("|" + strings.Repeat(":--|", len(columns)) + "\n")
		for _, f := range s.Fields {
			cells := []string{"`" + f.Key + "`", f.Kind, f.Missing, f.Allowed, f.Text}
			if knobs {
				cells = append(cells, strings.Join(f.Systems, ", "))
			}
			row(&b, cells...)
		}
	}
	return b.String()
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + c)
		if c != "" {
			b.WriteString(" ")
		}
	}
	b.WriteString("|\n")
}
