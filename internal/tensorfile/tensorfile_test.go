package tensorfile

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/nodes/gradient"
)

// write writes a worker's file and returns its path.
func write(t *testing.T, record func(*Writer)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "h0.tensors")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	record(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, paths ...string) *Reader {
	t.Helper()
	r, err := Open(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sent := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32(), 1, 50), 0, 5).Draw(rt, "sent")
		delivered := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32(), 1, 50), 0, 5).Draw(rt, "delivered")
		path := write(t, func(w *Writer) {
			for gen := range max(len(sent), len(delivered)) {
				if gen < len(sent) {
					w.Sent(gen, sent[gen])
				}
				if gen < len(delivered) {
					w.Delivered(gen, delivered[gen])
				}
			}
		})
		r := open(t, path)
		for gen := range 6 {
			check(rt, r.Sent, gen, sent)
			check(rt, r.Delivered, gen, delivered)
		}
	})
}

func check(rt *rapid.T, read func(worker, gen int) ([]int32, error), gen int, want [][]int32) {
	got, err := read(0, gen)
	switch {
	case err != nil:
		rt.Fatal(err)
	case gen >= len(want) && got != nil:
		rt.Fatalf("generation %d: %d, but nothing was written", gen, got)
	case gen < len(want) && !slices.Equal(got, want[gen]):
		rt.Fatalf("generation %d: %d, want %d", gen, got, want[gen])
	}
}

// What is sent and what is delivered stay valid beside each other: a checker
// holds one against the other.
func TestTensorsOfAWorkerDoNotShareMemory(t *testing.T) {
	r := open(t, write(t, func(w *Writer) { w.Sent(0, []int32{1, 2}); w.Delivered(0, []int32{3, 4}) }))
	sent, _ := r.Sent(0, 0)
	delivered, _ := r.Delivered(0, 0)
	if !slices.Equal(sent, []int32{1, 2}) || !slices.Equal(delivered, []int32{3, 4}) {
		t.Errorf("sent %d, delivered %d", sent, delivered)
	}
}

// A worker that dies while it writes leaves a part of a record: all before it
// is there, and it is not.
func TestFileThatWasCutOff(t *testing.T) {
	path := write(t, func(w *Writer) { w.Sent(0, []int32{1, 2, 3}); w.Delivered(0, []int32{4, 5, 6}) })
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const record = recordHeader + 3*4
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		r := open(t, path)
		sent, err1 := r.Sent(0, 0)
		delivered, err2 := r.Delivered(0, 0)
		if (sent != nil) != (n >= record) || (delivered != nil) != (n >= 2*record) || errors.Join(err1, err2) != nil {
			t.Errorf("of %d bytes: sent %d, delivered %d, %v, %v", n, sent, delivered, err1, err2)
		}
	}
}

func TestWorkersHaveTheirOwnFiles(t *testing.T) {
	one := write(t, func(w *Writer) { w.Sent(7, []int32{1}) })
	two := write(t, func(w *Writer) { w.Sent(7, []int32{2}) })
	r := open(t, one, two)
	for worker := range 2 {
		if got, err := r.Sent(worker, 7); err != nil || !slices.Equal(got, []int32{int32(worker + 1)}) {
			t.Errorf("worker %d: %d, %v", worker, got, err)
		}
	}
	if _, err := Open([]string{one, one + ".none"}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "worker 1") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Create(one); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there already: %v", err)
	}
}

// The process of a worker that comes back writes a file of its own.
func TestWorkerWithSeveralFiles(t *testing.T) {
	old := write(t, func(w *Writer) { w.Sent(0, []int32{1}); w.Delivered(0, []int32{2}); w.Sent(1, []int32{3}) })
	late := write(t, func(w *Writer) { w.Sent(1, []int32{5}); w.Delivered(1, []int32{4}) })
	r, err := OpenAll([][]string{{old, late}, {}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i, want := range []struct {
		read        func(worker, gen int) ([]int32, error)
		worker, gen int
		value       []int32
	}{{r.Sent, 0, 0, []int32{1}}, {r.Delivered, 0, 0, []int32{2}}, {r.Sent, 0, 1, []int32{5}}, {r.Delivered, 0, 1, []int32{4}}, {r.Sent, 0, 2, nil}, {r.Sent, 1, 0, nil}} {
		if got, err := want.read(want.worker, want.gen); err != nil || !slices.Equal(got, want.value) {
			t.Errorf("%d: %d, %v, want %d", i, got, err, want.value)
		}
	}
	if _, err := OpenAll([][]string{{old}, {late, late + ".none"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A recorder has nobody to tell of a full disk, so Close does.
func TestFullDiskIsTold(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full:", err)
	}
	w := &Writer{f: f}
	w.Sent(0, []int32{1})
	w.Delivered(0, []int32{1})
	if err := w.Close(); err == nil {
		t.Error("no error")
	}
}

// What went as float32 is read back run by run, bit for bit, beside the integers.
func TestFloatsThatWereWrittenAreRead(t *testing.T) {
	nan := math.Float32frombits(0x7fc12345)
	path := write(t, func(w *Writer) {
		w.SentFloats(1, 62, []float32{1.5, nan})
		w.SentFloats(1, 0, []float32{-0.25})
		w.DeliveredFloats(1, 62, []float32{3, float32(math.Inf(-1))})
		w.Sent(1, []int32{7})
		w.Delivered(1, []int32{8})
	})
	r := open(t, path)
	for name, tc := range map[string]struct {
		read func(worker, gen int) ([]gradient.Floats, error)
		gen  int
		want []gradient.Floats
	}{
		"sent":               {r.SentFloats, 1, []gradient.Floats{{Lo: 62, Values: []float32{1.5, nan}}, {Lo: 0, Values: []float32{-0.25}}}},
		"delivered":          {r.DeliveredFloats, 1, []gradient.Floats{{Lo: 62, Values: []float32{3, float32(math.Inf(-1))}}}},
		"another generation": {r.SentFloats, 0, nil},
	} {
		got, err := tc.read(0, tc.gen)
		same := func(a, b gradient.Floats) bool { return a.Lo == b.Lo && slices.EqualFunc(a.Values, b.Values, sameBits) }
		if err != nil || !slices.EqualFunc(got, tc.want, same) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, tc.want)
		}
	}
	if sent, err := r.Sent(0, 1); err != nil || !slices.Equal(sent, []int32{7}) {
		t.Errorf("integers: %d, %v", sent, err)
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// Floats of a process that died before it was through with a generation are not those of the one
// that came in its place.
func TestFloatsOfSeveralFiles(t *testing.T) {
	old := write(t, func(w *Writer) {
		w.SentFloats(0, 0, []float32{1})
		w.Sent(0, []int32{1})
		w.SentFloats(1, 0, []float32{2})
	})
	late := write(t, func(w *Writer) { w.Sent(1, []int32{5}) })
	r, err := OpenAll([][]string{{old, late}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for gen, want := range []int{1, 0} {
		if got, err := r.SentFloats(0, gen); err != nil || len(got) != want {
			t.Errorf("generation %d: %v, %v", gen, got, err)
		}
	}
}
