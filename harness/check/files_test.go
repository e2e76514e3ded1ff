package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/internal/tensorfile"
	"github.com/inalab/inalab/internal/trace"
)

// labFiles are those of three workers that reduced two generations of five
// elements in blocks of two.
type labFiles struct {
	t     *testing.T
	dir   string
	masks *check.Masks
}

var labShape = check.Job{Workers: 3, Generations: 2, Elements: 5, Block: 2}

// newLabFiles writes right files; edit may spoil what a worker records.
func newLabFiles(t *testing.T, edit func(worker, gen int, sent, delivered []int32)) labFiles {
	t.Helper()
	l := labFiles{t: t, dir: t.TempDir(), masks: check.NewMasks("tor", nil)}
	for w := range labShape.Workers {
		f, err := tensorfile.Create(l.path(w))
		if err != nil {
			t.Fatal(err)
		}
		for gen := range labShape.Generations {
			sent, delivered := make([]int32, 5), make([]int32, 5)
			for i := range sent {
				sent[i] = int32(100*gen + 10*w + i)
				delivered[i] = int32(300*gen + 30 + 3*i)
			}
			if edit != nil {
				edit(w, gen, sent, delivered)
			}
			f.Sent(gen, sent)
			f.Delivered(gen, delivered)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func (l labFiles) path(worker int) string {
	return filepath.Join(l.dir, fmt.Sprintf("h%d.tensors", worker))
}

// trace tells of every block but those that skip names.
func (l labFiles) trace(skip func(gen, block int) bool) {
	for gen := range labShape.Generations {
		for block := range 3 {
			if !skip(gen, block) {
				l.masks.Event(&trace.Event{Kind: trace.BlockSent, Node: "tor", Gen: uint32(gen), Block: uint32(block), Mask: trace.Mask{0b111}})
			}
		}
	}
}

func (l labFiles) check(who check.Contributors) check.Result {
	l.t.Helper()
	r, err := tensorfile.Open([]string{l.path(0), l.path(1), l.path(2)})
	if err != nil {
		l.t.Fatal(err)
	}
	defer r.Close()
	got, err := check.Sums(labShape, r, who)
	if err != nil {
		l.t.Fatal(err)
	}
	return got
}

func nothing(int, int) bool { return false }

func TestRightFilesAreRight(t *testing.T) {
	l := newLabFiles(t, nil)
	l.trace(nothing)
	for _, who := range []check.Contributors{check.Everybody(3), l.masks} {
		if got := l.check(who); got != (check.Result{Checked: 30}) {
			t.Errorf("%T: %+v", who, got)
		}
	}
}

// Each thing that can go wrong on the way is found, once for every element that
// it concerns, and the first of them is named.
func TestSpoiledFilesAreFound(t *testing.T) {
	for _, tc := range []struct {
		name  string
		edit  func(worker, gen int, sent, delivered []int32)
		skip  func(gen, block int) bool
		cut   int // bytes off the end of worker 1's file
		wrong uint64
		first string
	}{
		{
			name: "one delivered element is flipped",
			edit: func(w, gen int, _, delivered []int32) {
				if w == 2 && gen == 1 {
					delivered[3] ^= 1 << 30
				}
			},
			wrong: 1, first: "worker 2, generation 1, block 1, element 3: delivered 1073742163, the contributors' sum is 339",
		},
		{
			name: "one sent element differs from what arrived",
			edit: func(w, gen int, sent, _ []int32) {
				if w == 0 && gen == 0 {
					sent[4]++
				}
			},
			wrong: 3, first: "worker 0, generation 0, block 2, element 4: delivered 42, the contributors' sum is 43",
		},
		{
			name:  "a block that the trace does not know",
			skip:  func(gen, block int) bool { return gen == 1 && block == 2 },
			wrong: 3, first: "worker 0, generation 1, block 2, element 4: the trace names no contributors, or one that sent nothing",
		},
		{
			name:  "no trace at all",
			skip:  func(int, int) bool { return true },
			wrong: 30, first: "worker 0, generation 0, block 0, element 0: the trace names no contributors, or one that sent nothing",
		},
		{
			name: "a file that was cut off in its last record", cut: 1,
			wrong: 5, first: "worker 1, generation 1, block 0, element 0: nothing was delivered",
		},
		{
			name: "a file that lacks a generation", cut: 2 * (12 + 5*4),
			wrong: 15, first: "worker 0, generation 1, block 0, element 0: the trace names no contributors, or one that sent nothing",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLabFiles(t, tc.edit)
			if tc.skip == nil {
				tc.skip = nothing
			}
			l.trace(tc.skip)
			info, err := os.Stat(l.path(1))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(l.path(1), info.Size()-int64(tc.cut)); err != nil {
				t.Fatal(err)
			}
			got := l.check(l.masks)
			if got.Checked != 30 || got.Wrong != tc.wrong || !strings.HasPrefix(got.First, tc.first) {
				t.Errorf("%+v, want %d wrong, first %q", got, tc.wrong, tc.first)
			}
		})
	}
}

// A worker that a mask leaves out is not in the sum, whatever it sent.
func TestBlocksWithoutAStraggler(t *testing.T) {
	l := newLabFiles(t, func(w, gen int, sent, delivered []int32) {
		if gen == 1 { // without worker 1, which sent 110+i
			for i := range 2 {
				delivered[i] -= int32(110 + i)
			}
		}
	})
	l.masks.Event(&trace.Event{Kind: trace.BlockSent, Node: "tor", Gen: 1, Block: 0, Mask: trace.Mask{0b101}, Degraded: true})
	l.trace(nothing) // the late record of the same block comes second and counts for nothing
	if got := l.check(l.masks); got != (check.Result{Checked: 30}) {
		t.Errorf("%+v", got)
	}
}
