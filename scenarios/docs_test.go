package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/topo/gen"
)

// Every file of the page runs, and its table is the list of generators.
func TestThePageIsTrue(t *testing.T) {
	text, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(files) < 4 {
		t.Errorf("the page has %d files", len(files))
	}
	for _, f := range files {
		s, err := Load(Source{Name: "docs", Text: []byte(f[1])}, system.All())
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, f[1])
		}
	}
	for _, g := range gen.All() {
		var counts []string
		for _, c := range g.Takes {
			if c != "hosts-per-leaf" { // of programs alone
				counts = append(counts, "`"+c+"`")
			}
		}
		row := strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s |", g.Name, g.Description, strings.Join(counts, ", ")), "|  |", "| |")
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("the page lacks the row\n%s", row)
		}
	}
}
