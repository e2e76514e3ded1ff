package capture

import (
	"os"
	"strings"
	"testing"
)

// The page of captures has every word of filters and comments.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/capture.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, k := range FilterKeys {
		want = append(want, "`"+k+"=`")
	}
	for _, p := range Protos {
		want = append(want, "`"+string(p)+"`")
	}
	for _, w := range words {
		want = append(want, "`"+w+"`")
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			t.Errorf("docs/capture.md lacks %s", w)
		}
	}
}
