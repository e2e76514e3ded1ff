package microcode

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

const reference = "../../docs/microcode.md"

func readReference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// xtxnRow is how the reference describes an XTXN.
func xtxnRow(s *isa.Spec) string {
	var args, units []string
	for _, a := range s.Args {
		args = append(args, a.Name)
		unit := a.Unit
		switch {
		case unit == "" && a.Bits == isa.RegisterBits:
			unit = "64 bits"
		case a.Kind == isa.ArgLen || a.Kind == isa.ArgHeader:
			unit = fmt.Sprintf("%d..%d bytes, steps of %d", s.Length.Min, s.Length.Max, s.Length.Step)
		}
		units = append(units, a.Name+": "+unit)
	}
	async := "no"
	if s.Async {
		async = "yes"
	}
	if len(units) == 0 {
		units = []string{"-"}
	}
	reply := s.Reply
	if reply == "" {
		reply = "-"
	}
	return fmt.Sprintf("| `%s(%s)` | %s | %s | %s | %s |", s.Name, strings.Join(args, ", "),
		strings.ReplaceAll(s.Doc, "|", `\|`), strings.Join(units, "; "), reply, async)
}

// TestReferenceListsEveryXTXN wants the table of the reference to say what
// package isa says.
func TestReferenceListsEveryXTXN(t *testing.T) {
	text := readReference(t)
	for x := isa.XTXN(1); x < isa.NumXTXN; x++ {
		s, _ := x.Spec()
		if row := xtxnRow(s); !strings.Contains(text, row+"\n") {
			t.Errorf("%s lacks the row\n%s", reference, row)
		}
	}
}

// TestReferenceExamplesCompile compiles every example of the reference: those
// marked c are whole programs.
func TestReferenceExamplesCompile(t *testing.T) {
	examples := regexp.MustCompile("(?s)```c\n(.*?)```").FindAllStringSubmatch(readReference(t), -1)
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	for _, e := range examples {
		if _, err := Compile("example.mc", e[1]); err != nil {
			t.Errorf("%v\nin\n%s", err, e[1])
		}
	}
}
