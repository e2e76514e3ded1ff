package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
)

// TestMain plays the program where the test binary was started under its name:
// by a script, or by the program itself.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"inalab": func() { os.Exit(start()) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Updating(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			// Labs of scripts are nobody else's business, and the other way round.
			e.Setenv("INALAB_STATE_DIR", e.Getenv("WORK")+"/state")
			e.Setenv("GORACE", os.Getenv("GORACE")) // how the race detector ends a program (Makefile)
			e.Defer(func() { endLabs(e.Getenv("WORK") + "/state") })
			return os.Mkdir(e.Getenv("WORK")+"/state", 0o700)
		},
		Condition: func(cond string) (bool, error) {
			return cond == "root" && os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"keys":    keys,
			"repeat":  repeat,
			"capture": makeCapture,
			"packets": listPackets,
		},
	})
}

// endLabs ends the labs of a script that has failed.
func endLabs(state string) {
	labs, err := journal.List(journal.Config{Root: state})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, lab := range labs {
		_ = lab.Owner.Process.End(ctx)
	}
}

// makeCapture makes a capture of lines of text (package pcapfiletest) in the format of its
// name, and cut behind a number of bytes, if one is given: capture FILE LINES [BYTES].
func makeCapture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: capture FILE LINES [BYTES]")
	}
	packets, err := pcapfiletest.Parse(ts.ReadFile(args[1]))
	ts.Check(err)
	var file []byte
	if strings.HasSuffix(args[0], ".pcapng") {
		file, err = pcapfiletest.Pcapng(packets)
	} else {
		file, err = pcapfiletest.Pcap(packets, layers.LinkTypeEthernet)
	}
	ts.Check(err)
	if len(args) == 3 {
		n, err := strconv.Atoi(args[2])
		ts.Check(err)
		file = file[:n]
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file, 0o644))
}

// listPackets writes a line for each packet of a capture: its time, interface, direction, lengths, and comments; and
// wants checksums that are right: packets CAPTURE FILE.
func listPackets(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: packets CAPTURE FILE")
	}
	file, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer file.Close()
	r, err := pcapgo.NewNgReader(file, pcapgo.NgReaderOptions{})
	ts.Check(err)
	var out strings.Builder
	for {
		data, info, options, err := r.ReadPacketDataWithOptions()
		if err == io.EOF {
			break
		}
		ts.Check(err)
		if len(data) == info.Length {
			_, err := pcapfiletest.Verify(data)
			ts.Check(err)
		}
		at, err := r.Interface(info.InterfaceIndex)
		ts.Check(err)
		way := map[pcapgo.NgEpbFlag]string{pcapgo.NgEpbFlagDirectionInbound: "in", pcapgo.NgEpbFlagDirectionOutbound: "out"}[options.Flags.Direction]
		fmt.Fprintf(&out, "%d %s %s %d/%d %s\n", info.Timestamp.UnixNano(), at.Name, way, len(data), info.Length, strings.Join(options.Comments, "; "))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o644))
}

// repeat writes a text so many times into a file: repeat FILE N TEXT.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat FILE N TEXT")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(args[2], n)), 0o644))
}

// keys checks that a file holds a JSON object with exactly these keys, or, with
// "in", that each object of a list of it has them: keys FILE [in LIST] KEY...
func keys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: keys FILE [in LIST] KEY...")
	}
	var doc map[string]json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	objects, want := []map[string]json.RawMessage{doc}, args[1:]
	if want[0] == "in" {
		objects = nil
		ts.Check(json.Unmarshal(doc[want[1]], &objects))
		want = want[2:]
	}
	if len(objects) == 0 {
		ts.Fatalf("%s holds no objects", strings.Join(args, " "))
	}
	slices.Sort(want)
	for _, o := range objects {
		var got []string
		for k := range o {
			if !slices.Contains(want, k+"?") {
				got = append(got, k)
			}
		}
		slices.Sort(got)
		required := slices.DeleteFunc(slices.Clone(want), func(k string) bool { return strings.HasSuffix(k, "?") })
		if !slices.Equal(got, required) {
			ts.Fatalf("keys %q, want %q", got, want)
		}
	}
}
