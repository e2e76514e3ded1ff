package scenarios

import (
	"fmt"
	"testing"
	"strings"
)

func TestZZ(t *testing.T) {
	text, _ := Embedded("straggler")
	try := func(name, old, new string, set ...string) {
		s, err := Load(Source{Name: "x.yaml", Text: []byte(strings.Replace(string(text), old, new, 1)), Set: set})
		fmt.Printf("--- %s %v\n%v\n", name, set, err)
		if err == nil { fmt.Printf("%+v\n", s.raw) }
	}
	try("same", "", "")
	try("unknown", "seed: 1", "sede: 1")
	try("unknown2", "wake: skip", "wakes: skip")
	try("otherlevel", "seed: 1", "late: 1")
	try("dup", "seed: 1", "seed: 1\nseed: 2")
	try("type", "seed: 1", "seed: abc")
	try("type-neg", "seed: 1", "seed: -1")
	try("type2", "iterations: 40", "iterations: [1]")
	try("type3", "iterations: 40", "iterations: 4.5")
	try("type4", "link: {rate: 100Gbit/s, delay: 1us, queue: 1600MiB}", "link: 100Gbit/s")
	try("type5", "  p: [0%, 4%, 8%, 16%]", "  p: 4%")
	try("type6", "  p: [0%, 4%, 8%, 16%]", "  p: [0.04, 1]")
	try("bool", "aging: true", "aging: maybe")
	try("syntax", "seed: 1", "seed: [1")
	try("syntax2", "seed: 1", "seed: \"1")
	try("tab", "seed: 1", "\tseed: 1")
	try("rate", "rate: 100Gbit/s", "rate: 100")
	try("ratneg", "rate: 100Gbit/s", "rate: -100Gbit/s")
	try("ratefloat", "rate: 100Gbit/s", "rate: 1.5")
	try("sys", "system: ring", "system: rign")
	try("topo", "topology: rack", "topology: rak")
	try("model", "model: resnet50", "model: resnet5")
	try("p", "[0%, 4%, 8%, 16%]", "[0%, 4%, 120%, 0.04]")
	try("missing", "aging: true", "")
	try("nolate", "  late: tombstone", "")
	try("two docs", "seed: 1", "seed: 1\n---\nseed: 2")
	for _, s := range []string{"seed", "seed=", "=1", "seed=x", "trio.wake=naive", "trio.wkae=naive", "trio.wake=sleepy", "stragglers.p=[0%, 16%]", "link.rate=10", "a..b=1", "systems[0].topology=rack", "seed=1\nhosts: 5", "link={rate: 1Gbit/s}", "systems=[{system: ring, topology: rack}]", "systems=[{system: ring, topology: rak}]", "trio=1", "seed= ", "trio.=1"} {
		try("set", "", "", s)
	}
	for _, f := range []string{"", "# x\n", "a", "[]", "{}", "null", "apiVersion: inalab/v1", "&a [*a]", "a: &a\n  b: *a\n", "<<: *x", "? a\n: b"} {
		_, err := Load(Source{Name: "x.yaml", Text: []byte(f)})
		fmt.Printf("--- file %q\n%v\n", f, err)
	}
}
