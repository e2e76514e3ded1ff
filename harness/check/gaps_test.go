package check

import (
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/trace"
)

// life is a run of three workers and six generations of five elements in blocks of two.
// Worker 1 is killed in generation 2, of which it has sent block 0, and another one takes
// part in its place from generation 4 on.
type life struct {
	sent, delivered [3][6][]int32 // by worker and generation
	masks           [6][3]uint64  // by generation and block; 0: the trace knows nothing
}

var lifeShape = Job{Workers: 3, Generations: 6, Elements: 5, Block: 2, Gaps: []Gap{{1, 2, 4}}}

func (l *life) Sent(w, gen int) ([]int32, error)      { return l.sent[w][gen], nil }
func (l *life) Delivered(w, gen int) ([]int32, error) { return l.delivered[w][gen], nil }
func (l *life) Contributors(gen, block int) (trace.Mask, bool) {
	return trace.Mask{l.masks[gen][block]}, l.masks[gen][block] != 0
}

func newLife() *life {
	l := &life{}
	for gen := range 6 {
		for block := range 3 {
			l.masks[gen][block] = 0b111
			if gen == 3 || gen == 2 && block > 0 {
				l.masks[gen][block] = 0b101
			}
		}
		sums := make([]int32, 5)
		for w := range 3 {
			q := make([]int32, 5)
			for i := range q {
				q[i] = int32(100*gen + 10*w + i)
				if l.masks[gen][i/2]&(1<<w) != 0 {
					sums[i] += q[i]
				}
			}
			l.sent[w][gen] = q
		}
		for w := range 3 {
			l.delivered[w][gen] = append([]int32(nil), sums...)
		}
	}
	for gen := 2; gen < 4; gen++ {
		l.sent[1][gen], l.delivered[1][gen] = nil, nil
	}
	return l
}

const unchecked = 2 * 2 // block 0 of generation 2, at two workers

// A gap excuses what is not recorded in it, and nothing else.
func TestGapsExcuseNothingElse(t *testing.T) {
	for name, tc := range map[string]struct {
		edit               func(*life)
		until              int
		checked, unchecked uint64 // zero: 76 and 4
		wrong              uint64
		first              string
	}{
		"as it was": {},
		"a sum in the gap, without the worker that was killed": {edit: func(l *life) { l.delivered[2][2][3]++ }, wrong: 1, first: "worker 2, generation 2, block 1, element 3"},
		"a sum in the gap that nobody can know":                {edit: func(l *life) { l.delivered[2][2][1]++ }},
		"a sum before the gap":                                 {edit: func(l *life) { l.delivered[0][1][0]++ }, wrong: 1, first: "worker 0, generation 1"},
		"a sum before the gap, at the worker that was killed":  {edit: func(l *life) { l.delivered[1][1][0]++ }, wrong: 1, first: "worker 1, generation 1"},
		"a sum behind the gap, at the worker that came":        {edit: func(l *life) { l.delivered[1][4][4]++ }, wrong: 1, first: "worker 1, generation 4"},
		"what it sent behind the gap":                          {edit: func(l *life) { l.sent[1][4][4]++ }, wrong: 3, first: "worker 0, generation 4"},
		"it sent nothing behind the gap":                       {edit: func(l *life) { l.sent[1][4] = nil }, wrong: 15, first: "the trace names no contributors"},
		"it was given nothing behind the gap":                  {edit: func(l *life) { l.delivered[1][4] = nil }, wrong: 5, first: "worker 1, generation 4, block 0, element 0: nothing was delivered"},
		"another worker sent nothing in the gap":               {edit: func(l *life) { l.sent[2][2] = nil }, checked: 80, wrong: 10, first: "generation 2, block 0, element 0: the trace names no contributors"},
		"another worker was given nothing in the gap":          {edit: func(l *life) { l.delivered[2][3] = nil }, wrong: 5, first: "worker 2, generation 3, block 0, element 0: nothing was delivered"},
		"another worker was given nothing that can be known":   {edit: func(l *life) { l.delivered[0][2] = nil }, checked: 78, unchecked: 2, wrong: 5, first: "worker 0, generation 2, block 0, element 0: nothing was delivered"},
		"it sent nothing before the gap":                       {edit: func(l *life) { l.sent[1][1] = nil }, wrong: 15, first: "worker 0, generation 1, block 0"},
		"it was given nothing before the gap":                  {edit: func(l *life) { l.delivered[1][1] = nil }, wrong: 5, first: "worker 1, generation 1, block 0, element 0: nothing was delivered"},
		"a block in the gap that the trace does not know":      {edit: func(l *life) { l.masks[3][1] = 0 }, wrong: 4, first: "generation 3, block 1"},
		"what it sent is cut":                                  {edit: func(l *life) { l.sent[1][2] = []int32{210} }, checked: 80, wrong: 4, first: "generation 2, block 0"},
		"it recorded what it sent in the gap":                  {edit: func(l *life) { l.sent[1][2] = []int32{210, 211, 212, 213, 214} }, checked: 80},
		"and that was not in the sum":                          {edit: func(l *life) { l.sent[1][2] = []int32{210, 212, 0, 0, 0} }, checked: 80, wrong: 2, first: "worker 0, generation 2, block 0, element 1"},
		"it was given a wrong sum in the gap":                  {edit: func(l *life) { l.delivered[1][2] = []int32{0, 0, 424, 427, 428} }, checked: 76 + 3, unchecked: unchecked + 2, wrong: 1, first: "worker 1, generation 2, block 1, element 3"},
		"the job was ended in generation 5":                    {edit: func(l *life) { l.delivered[2][5] = nil; l.sent[1][5] = nil }, until: 5, checked: 76 - 15, unchecked: unchecked},
		"the job was ended, with a wrong sum before":           {edit: func(l *life) { l.delivered[2][5] = nil; l.delivered[0][4][1]-- }, until: 5, checked: 76 - 15, unchecked: unchecked, wrong: 1, first: "worker 0, generation 4"},
		"the job was not ended":                                {edit: func(l *life) { l.delivered[2][5] = nil }, wrong: 5, first: "worker 2, generation 5, block 0, element 0: nothing was delivered"},
	} {
		l, job := newLife(), lifeShape
		if tc.edit != nil {
			tc.edit(l)
		}
		job.Until = tc.until
		want := Result{Checked: cmp.Or(tc.checked, 76), Unchecked: unchecked, Wrong: tc.wrong}
		if tc.checked > 0 {
			want.Unchecked = tc.unchecked
		}
		got, err := Sums(job, l, l)
		first := got.First
		if got.First = ""; err != nil || got != want || !strings.Contains(first, tc.first) || tc.first == "" && first != "" {
			t.Errorf("%s: %+v, %v, first %q: want %+v, %q", name, got, err, first, want, tc.first)
		}
	}
}

// stream plays a life to a Stream, in any order in which each worker keeps its own.
func (l *life) stream(t *rapid.T, end int) (Result, error) {
	job := lifeShape
	job.Gaps = nil
	s := NewStream(job, l)
	next := [3]int{}
	left, back := false, false
	until := [3]int{6, 6, end}
	for next != until {
		w := rapid.IntRange(0, 2).Draw(t, "worker")
		gen := next[w]
		switch {
		case gen == until[w]:
			continue
		case w == 1 && gen == 2 && !left:
			s.Leave(1)
			left = true
			continue
		case w == 1 && gen == 2:
			if next[0] < 3 || next[2] < 3 {
				continue
			}
			s.Return(1, 4)
			back, next[1] = true, 4
			continue
		}
		if w != 1 && !back && (gen > 4 || gen == 4 && next[2-w] > 4) { // and one of them waits for it
			continue
		}
		if q := l.sent[w][gen]; q != nil {
			s.Recorder(w).Sent(gen, q)
		}
		if sums := l.delivered[w][gen]; sums != nil {
			s.Recorder(w).Delivered(gen, sums)
		}
		next[w]++
	}
	if end < 6 {
		s.End()
	} else if len(s.open) > 0 {
		t.Errorf("%d generations are kept after their check", len(s.open))
	}
	return s.Result()
}

// While a run goes on, the verdict is the same, in whatever order workers record.
func TestStreamWithGapsAgreesWithSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, job := newLife(), lifeShape
		spoil := rapid.IntRange(0, 5).Draw(t, "generation")
		if q := l.delivered[rapid.IntRange(0, 2).Draw(t, "spoilt")][spoil]; q != nil {
			q[rapid.IntRange(0, 4).Draw(t, "element")]++
		}
		end := rapid.IntRange(5, 6).Draw(t, "end")
		job.Until = end
		want, _ := Sums(job, l, l)
		got, err := l.stream(t, end)
		want.First, got.First = "", "" // the first that is found is another one
		if err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	})
}

// A job that goes on has all its generations; one that was ended has no hole.
func TestStreamThatWasEnded(t *testing.T) {
	for name, tc := range map[string]struct {
		play func(s *Stream)
		err  string
	}{
		"two of four":  {func(s *Stream) { all(s, 0, 1); s.Recorder(0).Delivered(2, make([]int32, 1)); s.End() }, ""},
		"not ended":    {func(s *Stream) { all(s, 0, 1) }, "2 of 4 generations"},
		"with a hole":  {func(s *Stream) { all(s, 0, 2); s.End() }, "2 of 3 generations"},
		"some charged": {func(s *Stream) { all(s, 0); s.Skip(); all(s, 2); s.Skip(); s.End() }, ""},
		"all are away": {func(s *Stream) { all(s, 0); s.Leave(0); s.Leave(1); s.Leave(1); s.End() }, ""},
		"one never back": {func(s *Stream) {
			all(s, 0)
			s.Leave(1)
			s.Recorder(0).Sent(1, []int32{0})
			s.Recorder(0).Delivered(1, []int32{0})
			s.End()
		}, ""},
		"away, and heard": {func(s *Stream) {
			s.Leave(1)
			s.Recorder(1).Sent(0, []int32{0})
			s.Recorder(1).Delivered(0, []int32{0})
			s.Recorder(0).Sent(0, []int32{0})
			s.Recorder(0).Delivered(0, []int32{0})
			s.End()
		}, ""},
		"back and silent": {func(s *Stream) { all(s, 0); s.Leave(1); s.Return(1, 1); s.Recorder(0).Delivered(1, make([]int32, 1)) }, "1 of 4"},
	} {
		s := NewStream(Job{Workers: 2, Generations: 4, Elements: 1, Block: 1}, Everybody(2))
		tc.play(s)
		if got, err := s.Result(); (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) || got.Wrong > 0 {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, tc.err)
		}
	}
}

// all has both workers record generations.
func all(s *Stream, gens ...int) {
	for _, gen := range gens {
		for w := range 2 {
			s.Recorder(w).Sent(gen, []int32{0})
		}
		for w := range 2 {
			s.Recorder(w).Delivered(gen, []int32{0})
		}
	}
}

// What nobody can hold against anything is not called checked: a worker came when all
// others had finished the generation, and one of them was killed.
func TestStreamRecordedTooLate(t *testing.T) {
	s := NewStream(Job{Workers: 3, Generations: 2, Elements: 1, Block: 1}, Everybody(3))
	s.Leave(2)
	s.Recorder(0).Sent(0, []int32{1})
	s.Recorder(0).Delivered(0, []int32{1})
	s.Leave(1)
	s.Return(2, 0)
	s.Recorder(2).Sent(0, []int32{1})
	s.Recorder(2).Delivered(0, []int32{1})
	s.End()
	if got, err := s.Result(); err != nil || got != (Result{Unchecked: 2}) || len(s.open) > 0 {
		t.Errorf("%+v, %v, %d open", got, err, len(s.open))
	}
}
