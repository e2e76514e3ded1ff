package replay_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/program/police"
	"github.com/inalab/inalab/switchd/trio/mem"
)

const guide = "../../docs/microcode.md"

// traceStart begins the block of the reference that the test writes.
const traceStart = "<!-- the trace of a packet, written by go test ./harness/replay -update -->\n```text\n"

// TestReferenceHasTheTrace wants the reference to show what a packet of the policer does:
// the third of its source, for which the bucket has too little.
func TestReferenceHasTheTrace(t *testing.T) {
	program := compile(t, police.File, police.Source())
	got := play(t, replay.Config{
		Program: program, Timing: timing(), Steps: true, Memory: mem.Config{Records: middlebox.DefaultRecords},
		Initial: settings(t, "template.policer[0] = 1000000\ntemplate.policer[1] = 0x5dc000005dc\ntemplate.limit = 10"),
	}, packets(t, "0s udp 10.0.0.1 10.0.0.2 1000\n1ms udp 10.0.0.1 10.0.0.2 1000\n2ms udp 10.0.0.1 10.0.0.2 1000"))
	var b strings.Builder
	if err := replay.NewPrinter(&b, program).Print(got.lives[2]); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), traceStart)
	have, after, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatalf("%s lacks %q", guide, traceStart)
	}
	want := strings.TrimRight(b.String(), "\n") + "\n"
	if golden.Updating() {
		if err := os.WriteFile(guide, []byte(before+traceStart+want+"```\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("the trace in %s differs (-want +have); run with -update:\n%s", guide, diff)
	}
}
