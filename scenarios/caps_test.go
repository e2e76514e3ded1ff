package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/harness/system/trioml"
)

// The caps of a job are knobs, which may be left out. Numbers that no PFE could take
// are refused where the scenario is read.
func TestCapsOfTrioML(t *testing.T) {
	trio := func(set ...string) trioml.System { return load(t, set...).Systems[2].System.(trioml.System) }
	if got := trio("trio.block-cnt-max=100", "trio.block-grad-max=2048", "trio.threads=4096"); got.BlockMax != 100 || got.GradMax != 2048 || got.Threads != 4096 {
		t.Errorf("%+v", got)
	}
	if got := trio(); got.BlockMax != 0 || got.GradMax != 0 {
		t.Errorf("without a cap: %+v", got)
	}
	for set, want := range map[string]string{
		"trio.block-cnt-max=65536": "allowed are 0 to 65535",
		"trio.block-grad-max=4096": "allowed are 0 to 4095",
		"trio.threads=4097":        "allowed are 1 to 4096",
		"trio.window=65536":        "allowed are 1 to 65535",
	} {
		_, err := Load(Source{Name: "f", Text: []byte(embedded(t)), Set: []string{set}}, system.All())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}
