package provenance

import (
	"slices"
	"testing"
	"time"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/page"
)

func TestQuoted(t *testing.T) {
	if got := Quoted([]string{"inalab", "a b", "it's", "", "--set", "p=[1%]"}); got != `inalab 'a b' 'it'\''s' '' --set 'p=[1%]'` {
		t.Errorf("got %s", got)
	}
}

// What the manifest does not know is left out, and more stands before the machine.
func TestListHasWhatIsKnown(t *testing.T) {
	m := archive.Manifest{Version: "v1", Seed: 7, Started: time.Unix(0, 0), Ended: time.Unix(90, 0), Command: []string{"/a/b/inalab", "run"}}
	m.Machine.CPUs, m.Machine.Arch = 2, "amd64"
	got := List("dir", &m, page.Item{Name: "Clock", Value: "virtual"}, page.Item{Name: "Scale"})
	want := page.List{
		{Name: "Directory", Value: "dir"}, {Name: "inalab", Value: "v1"}, {Name: "Begun", Value: "1970-01-01 00:00:00 UTC"}, {Name: "Took", Value: "1m30s"},
		{Name: "Seed", Value: "7"}, {Name: "Clock", Value: "virtual"}, {Name: "Processor", Value: "2 usable, amd64"}, {Name: "Exit code", Value: "0"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if typed := Typed(&m); !slices.Equal(typed, []string{"inalab", "run"}) || m.Command[0] != "/a/b/inalab" {
		t.Errorf("typed %v of %v", typed, m.Command)
	}
}
