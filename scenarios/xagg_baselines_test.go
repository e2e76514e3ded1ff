package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/nodes/stream"
)

// Every key of TCP-Agg and BytePS reaches the system, and the sections may be left out.
func TestKeysOfTCPAggAndBytePS(t *testing.T) {
	tree := tcpagg.System{Transport: stream.TCP, Tree: aggtree.KAry, K: 3}
	servers := byteps.System{Transport: stream.TCP, Count: 1, Partition: 4096000}
	for text, want := range map[string]job.System{
		"systems: [{system: tcpagg}]\n":                                                                   tree,
		"systems: [{system: tcpagg}]\ntcpagg: {tree: testbed}\n":                                          tcpagg.System{Transport: stream.TCP, Tree: aggtree.Testbed, K: 3},
		"systems: [{system: tcpagg}]\ntcpagg: {tree: star, k: 5}\n":                                       tcpagg.System{Transport: stream.TCP, Tree: aggtree.Star, K: 5},
		"systems: [{system: tcpagg}]\ntcpagg: {tree: kary, down: tree}\n":                                 tree,
		"systems: [{system: tcpagg}]\ntcpagg: {down: direct}\n":                                           tcpagg.System{Transport: stream.TCP, Tree: aggtree.KAry, K: 3, Direct: true},
		"systems: [{system: tcpagg}]\ntcpagg: {transport: roce}\n":                                        tcpagg.System{Transport: stream.RoCE, Tree: aggtree.KAry, K: 3},
		"systems: [{system: byteps}]\n":                                                                   servers,
		"systems: [{system: byteps}]\nbyteps: {servers: dedicated, transport: tcp, partition: 4096000}\n": servers,
		"systems: [{system: byteps}]\nbyteps: {servers: colocated, count: 4, partition: 1024}\n":          byteps.System{Transport: stream.TCP, Colocated: true, Count: 4, Partition: 1024},
	} {
		if got := mustShort(t, text).Systems[0].System; got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"systems: [{system: tcpagg}]\ntcpagg: {tree: plan}\n":    `tcpagg.tree: "plan": allowed are kary, testbed, star`,
		"systems: [{system: tcpagg}]\ntcpagg: {k: 1}\n":          "tcpagg.k: 1: allowed are 2 to 31",
		"systems: [{system: tcpagg}]\ntcpagg: {down: up}\n":      `tcpagg.down: "up": allowed are tree, direct`,
		"systems: [{system: byteps}]\nbyteps: {partition: 3}\n":  "byteps.partition: 3: allowed are 4 to 1073741824",
		"systems: [{system: byteps}]\nbyteps: {servers: idle}\n": `byteps.servers: "idle": allowed are dedicated, colocated`,
		"systems: [{system: byteps}]\nbyteps: {count: 0}\n":      "byteps.count: 0: allowed are 1 to 200",
	} {
		if _, err := loadShort(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
