package parity

import (
	"errors"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/gradient"
)

// example is what two workers recorded of two generations; the second sent
// nothing in the last one.
func example() *Recording {
	r := NewRecording(2)
	for gen := range 2 {
		for w := range 2 {
			rec := r.Recorder(w)
			if gen == 0 || w == 0 {
				rec.Sent(gen, []int32{int32(gen), int32(w), -1})
			}
			rec.Delivered(gen, []int32{7, 8, 1 << 30})
		}
	}
	return r
}

var shape = Shape{Workers: 2, Generations: 2, Elements: 3}

func compareTensors(t *testing.T, b check.Tensors) Result {
	t.Helper()
	r, err := Tensors(shape, Run[check.Tensors]{"virtual", example()}, Run[check.Tensors]{"live", b})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A tensor that is kept does not follow the memory that it was in.
func TestRecordingCopies(t *testing.T) {
	r, q := NewRecording(1), []int32{1}
	r.Recorder(0).Sent(0, q)
	r.Recorder(0).Delivered(0, q)
	q[0] = 2
	sent, _ := r.Sent(0, 0)
	delivered, _ := r.Delivered(0, 0)
	if sent[0] != 1 || delivered[0] != 1 {
		t.Errorf("%d, %d: want 1, 1", sent[0], delivered[0])
	}
}

func TestTensors(t *testing.T) {
	const elements = (3 + 4) * 3 // three tensors were sent, four delivered
	if r := compareTensors(t, example()); r != (Result{Compared: elements}) {
		t.Errorf("equal: got %+v", r)
	}
	for name, c := range map[string]struct {
		spoil     func(*Recording)
		compared  int
		different int
		first     string
	}{
		"an element": {func(r *Recording) { r.workers[1].delivered[0][2]++ }, elements, 1,
			"generation 0, worker 1, delivered, element 2: 1073741824 in the virtual run, 1073741825 in the live run"},
		"the first of two": {func(r *Recording) { r.workers[0].sent[1][0], r.workers[1].delivered[1][0] = 5, 5 }, elements, 2,
			"generation 1, worker 0, sent, element 0: 1 in the virtual run, 5 in the live run"},
		"something sent": {func(r *Recording) { r.workers[1].sent[1] = []int32{1, 2, 3} }, elements, 1,
			"generation 1, worker 1, sent: 0 elements in the virtual run, 3 in the live run"},
		"nothing delivered": {func(r *Recording) { delete(r.workers[0].delivered, 0) }, elements - 3, 1,
			"generation 0, worker 0, delivered: 3 elements in the virtual run, 0 in the live run"},
		"cut short": {func(r *Recording) { r.workers[0].sent[0] = r.workers[0].sent[0][:2] }, elements - 1, 1,
			"generation 0, worker 0, sent: 2 elements in the live run, but a tensor has 3"},
	} {
		b := example()
		c.spoil(b)
		if r := compareTensors(t, b); r != (Result{c.compared, c.different, c.first}) {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

// broken is a file that cannot be read.
type broken struct{ *Recording }

func (broken) Delivered(int, int) ([]int32, error) { return nil, errors.New("no such file") }

func TestUnreadableTensors(t *testing.T) {
	_, err := Tensors(shape, Run[check.Tensors]{"virtual", example()}, Run[check.Tensors]{"live", broken{example()}})
	if err == nil || !strings.Contains(err.Error(), "reading what worker 0 delivered in generation 0 of the live run: no such file") {
		t.Errorf("got %v", err)
	}
}

func TestMessages(t *testing.T) {
	virtual := []result.Counter{
		{Node: "h0", Name: "ring-chunks", N: 12}, {Node: "h0", Name: "tcp-segments", N: 90},
		{Node: "tor", Name: "engine/packets", N: 3}, {Node: "tor", Name: "engine/packets", N: 4}, {Node: "tor", Name: "unused"},
	}
	live := []result.Counter{
		{Node: "h0", Name: "ring-chunks", N: 12}, {Node: "h0", Name: "tcp-retransmits", N: 1}, {Node: "h0/device", Name: "ring-drops", N: 9},
		{Node: "mx480", Name: "pfe1/pfe-timer-runs", N: 1},
		{Node: "tor", Name: "engine/packets", N: 7}, {Node: "tor", Name: "forward/link-local-multicast", N: 3},
	}
	a := Run[[]result.Counter]{"virtual", virtual}
	if r := Messages(a, Run[[]result.Counter]{"live", live}); r != (Result{Compared: 3}) {
		t.Errorf("equal: got %+v", r)
	}
	live = append(live, result.Counter{Node: "h0", Name: "ring-chunks", N: 1}, result.Counter{Node: "a", Name: "other", N: 1})
	want := Result{4, 2, "a, other: 0 in the virtual run, 1 in the live run"}
	if r := Messages(a, Run[[]result.Counter]{"live", live}); r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

// What went as float32 is compared element by element, whatever came first, and counts.
func TestFloats(t *testing.T) {
	floats := func(change func(r gradient.FloatRecorder)) *Recording {
		r := example()
		rec := r.Recorder(1).(gradient.FloatRecorder)
		rec.SentFloats(1, 0, []float32{1, 2})
		change(rec)
		return r
	}
	right := func(r gradient.FloatRecorder) {
		r.DeliveredFloats(1, 0, []float32{3})
		r.DeliveredFloats(1, 2, []float32{4})
	}
	other := func(r gradient.FloatRecorder) {
		r.DeliveredFloats(1, 2, []float32{4})
		r.DeliveredFloats(1, 0, []float32{3})
	}
	const elements = (3+4)*3 + 4
	for name, tc := range map[string]struct {
		change func(gradient.FloatRecorder)
		want   Result
	}{
		"equal": {other, Result{Compared: elements}},
		"a bit": {func(r gradient.FloatRecorder) {
			r.DeliveredFloats(1, 2, []float32{4})
			r.DeliveredFloats(1, 0, []float32{3.5})
		},
			Result{elements, 1, "generation 1, worker 1, delivered as float32, element 0: 3 in the virtual run, 3.5 in the live run"}},
		"one lacks": {func(r gradient.FloatRecorder) { r.DeliveredFloats(1, 2, []float32{4}) },
			Result{elements, 1, "generation 1, worker 1, delivered as float32, element 0: in the virtual run alone"}},
		"one more": {func(r gradient.FloatRecorder) { other(r); r.DeliveredFloats(1, 1, []float32{4}) },
			Result{elements + 1, 1, "generation 1, worker 1, delivered as float32, element 1: in the live run alone"}},
	} {
		a, b := floats(right), floats(tc.change)
		got, err := Tensors(shape, Run[check.Tensors]{"virtual", a}, Run[check.Tensors]{"live", b})
		if err != nil || got != tc.want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}
