package explain

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
)

// recorded is two runs: one without anything to explain, and one whose only
// block needs everything that there is to tell.
const recorded = `{"run":{"system":"ring","topology":"rack","clock":"live","straggle_p":0,"seed":1,"workers":["h0","h1"],"iterations":4,"blocks":1,"engines":null,"rule":"all","kept":1,"left_out":0,"lost":0}}
{"at_ps":5000000,"node":"h0","kind":"reduced","iteration":0,"block":-1}
{"run":{"system":"switchml256","topology":"rack","clock":"live","straggle_p":0.04,"seed":1,"workers":["h0","h1"],"iterations":4,"blocks":9,"slots":4,"engines":[{"node":"tor","sources":["h0","h1"],"top":true}],"rule":"all","kept":12,"left_out":3,"lost":2,"error":"nothing moves any more"}}
{"at_ps":1000000,"node":"h1","kind":"delay-began","iteration":2,"block":-1}
{"at_ps":2000000,"node":"h0","kind":"sent","iteration":2,"block":5,"slot":1,"packet":11}
{"at_ps":3000000,"node":"tor","kind":"contribution","iteration":2,"block":5,"slot":1,"packet":11,"from":"h0","bitmap":"0b01","count":1}
{"at_ps":6000000,"node":"h1","kind":"delay-ended","iteration":2,"block":-1}
{"at_ps":7000000,"node":"h0","kind":"retransmit","iteration":2,"block":5,"slot":1,"packet":11}
{"at_ps":8000000,"node":"tor","kind":"dropped","iteration":2,"block":5,"slot":1,"packet":11,"from":"h0","note":"switchml-duplicate-in-open-slot"}
{"at_ps":30000000,"node":"h1","kind":"sent","iteration":2,"block":5,"slot":1,"packet":11}
{"at_ps":31000000,"node":"tor","kind":"contribution","iteration":2,"block":5,"slot":1,"packet":11,"from":"h1","bitmap":"0b11","count":2}
{"at_ps":31000000,"node":"tor","kind":"block-sent","iteration":2,"block":5,"slot":1,"packet":11,"bitmap":"0b11","count":2}
{"at_ps":32000000,"node":"h1","kind":"result","iteration":2,"block":5,"slot":1,"packet":11}
{"at_ps":33000000,"node":"tor","kind":"block-sent","iteration":2,"block":5,"slot":1,"packet":11,"from":"h0","bitmap":"0b11","count":2,"note":"switchml-retransmissions-answered"}
{"at_ps":34000000,"node":"h0","kind":"result","iter`

// The whole life of a block, of a file that ends in the middle of a line.
func TestLifeAsText(t *testing.T) {
	runs, err := Read(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	life, err := Find(runs, Query{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := life.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "missing.txt", text.String())
}

// A compressed file says the same, and of one that is cut anywhere it is the first lines.
func TestReadCompressed(t *testing.T) {
	var file bytes.Buffer
	zip := gzip.NewWriter(&file)
	for text := range strings.Lines(recorded) {
		if _, err := zip.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := zip.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := Read(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(bytes.NewReader(file.Bytes())); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("error %v, read\n%+v\nwant\n%+v", err, got, want)
	}
	events := 0
	for n := range file.Len() {
		runs, err := Read(bytes.NewReader(file.Bytes()[:n]))
		if err != nil {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
		have := 0
		for i, r := range runs {
			have += len(r.Events)
			if !slices.EqualFunc(r.Events, want[i].Events[:len(r.Events)], func(a, b result.Event) bool { return a == b }) {
				t.Fatalf("cut after %d bytes: events of run %d are %+v", n, i, r.Events)
			}
		}
		if have < events {
			t.Fatalf("cut after %d bytes there are %d events, before there were %d", n, have, events)
		}
		events = have
	}
	if events != 12 {
		t.Errorf("of the file without its end %d events were read", events)
	}
}

func TestReadRefusesWhatIsNoRecord(t *testing.T) {
	for _, text := range []string{"{\"at_ps\":1}\n", "{\"run\":7}\n", "{\"run\":{}}\n{\"at_ps\":\"x\"}\n"} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func TestFindSaysWhatThereIsNot(t *testing.T) {
	runs, err := Read(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	three, nine, zero, seed := 3, 9, 0, uint64(7)
	for want, q := range map[string]Query{
		"block 9: the tensor of switchml256 has blocks 0 to 8":                               {Block: &nine},
		"iteration 9: the run of switchml256 has iterations 0 to 3":                          {Iteration: &nine},
		"system \"swichml256\" was not run: there are ring, switchml256; did you mean":       {System: "swichml256"},
		"there is no such run; there are ring at p=0%, seed 1; switchml256 at p=4%, seed 1":  {Seed: &seed},
		"no events of block 3 of switchml256 at p=4%, seed 1 were kept (kept: all; 3 events": {Block: &three},
		"3 events left out, 2 lost): run it again with --events 3/0":                         {Iteration: &three, Block: &zero},
		"ring at p=0%, seed 1 sends no blocks through a switch program":                      {System: "ring"},
	} {
		if _, err := Find(runs, q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Find(nil, Query{}); err == nil {
		t.Error("a block was found in nothing")
	}
}

// scanned is a run whose only block timer threads have visited, one of which did not
// say who it was.
const scanned = `{"run":{"system":"trioml","topology":"rack","clock":"virtual","straggle_p":0.04,"seed":1,"workers":["h0","h1"],"iterations":1,"blocks":1,"engines":[{"node":"tor","sources":["h0","h1"],"top":true}],"rule":"all","kept":3,"left_out":0,"lost":0}}
{"at_ps":1000000,"node":"tor","kind":"timer-scan","iteration":0,"block":0,"bitmap":"0b01","count":1,"note":"thread 7 of 100"}
{"at_ps":2000000,"node":"tor","kind":"timer-scan","iteration":0,"block":0,"bitmap":"0b01","count":1}
{"at_ps":3000000,"node":"tor","kind":"block-aged","iteration":0,"block":0,"bitmap":"0b01","count":1,"note":"thread 7 of 100"}
`

// A visit of a timer thread says which thread it was, where that is known.
func TestTimerScans(t *testing.T) {
	runs, err := Read(strings.NewReader(scanned))
	if err != nil {
		t.Fatal(err)
	}
	life, err := Find(runs, Query{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"timer scan by thread 7 of 100: heard of since the last one, flag cleared: 0b01 (1 of 2)",
		"timer scan: heard of since the last one, flag cleared: 0b01 (1 of 2)",
		"timer scan by thread 7 of 100: not heard of since the last one, gave up on h1: 0b01 (1 of 2)",
	} {
		if got := life.Lines[i].What; got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
}
