package microcode

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/microcode/vm/idiom"
)

// Without time, the loops over a packet are done in one go: adding the head and the
// tail, collecting the result, clearing the sums (idiom.Streamer). A change of the
// program that hides one of them from the compiler is several times slower.
func TestLoopsOverChunksAreStreams(t *testing.T) {
	p := compiled(t)
	code, err := vm.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, at := range idiom.Attach(code, p) {
		labels = append(labels, p.Instructions[at].Labels...)
	}
	for _, want := range []string{"add_head", "add_tail", "result_tail", "release"} {
		if !slices.Contains(labels, want) {
			t.Errorf("the loop at %s is no stream; these are: %v", want, labels)
		}
	}
}
