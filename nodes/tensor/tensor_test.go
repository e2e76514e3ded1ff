package tensor

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/nodes/gradient"
)

// Chunks cover the tensor, each has its share of values in front, and slices of
// a part cover it.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "chunks")
		elements := rapid.IntRange(n, 500).Draw(t, "elements")
		sample := rapid.IntRange(0, 60).Draw(t, "sample")
		c := NewCut(elements, n, sample)
		lo, bytes := 0, 0
		for i := range n {
			p := c.Part(i, i+1)
			m := (i+1)*elements/n - i*elements/n
			want := m
			if sample > 1 {
				want = (m + sample - 1) / sample
			}
			if p.Lo != lo || p.Hi-p.Lo != 4*want || p.Bytes() != 4*m {
				t.Fatalf("chunk %d of %d elements is %+v, want %d values from byte %d on", i, m, p, want, lo)
			}
			lo, bytes = p.Hi, bytes+p.Bytes()
		}
		if bytes != 4*elements || lo != 4*c.Values() || c.Part(0, n).Bytes() != bytes {
			t.Fatalf("%d bytes, %d of values: %+v", bytes, lo, c.Part(0, n))
		}
		i := rapid.IntRange(0, n).Draw(t, "from")
		checkSlices(t, c.Part(i, rapid.IntRange(i, n).Draw(t, "to")))
	})
}

func checkSlices(t *rapid.T, p Part) {
	size := rapid.IntRange(1, 100).Draw(t, "slice")
	values, unstored := 0, 0
	for off := 0; off < p.Bytes(); off += size {
		s := p.Slice(off, min(size, p.Bytes()-off))
		if s.Bytes() != min(size, p.Bytes()-off) || s.Hi > s.Lo && (s.Lo != p.Lo+values || unstored > 0) {
			t.Fatalf("slice of %+v from byte %d: %+v behind %d values and %d unstored", p, off, s, values, unstored)
		}
		values, unstored = values+s.Hi-s.Lo, unstored+s.Unstored
	}
	if values != p.Hi-p.Lo || unstored != p.Unstored {
		t.Fatalf("slices of %+v hold %d values and %d unstored bytes", p, values, unstored)
	}
}

// However a stream is cut, the same messages are read from it; memory of the
// arrivals is not kept.
func TestReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole []int // a byte, or -1 for an unstored one
		var parts []Part
		var values []byte
		for range rapid.IntRange(1, 5).Draw(t, "messages") {
			p := Part{Lo: len(values), Unstored: rapid.IntRange(0, 60).Draw(t, "unstored")}
			for range rapid.IntRange(0, 60).Draw(t, "values") {
				values = append(values, byte(len(values)*7+3))
			}
			p.Hi = len(values)
			h := Header{Gen: 5, Kind: len(parts), Bytes: p.Bytes()}
			var eff sansio.Effects
			Send([]sansio.Port{3}, &h, values, p, &eff)
			for _, b := range eff.Sends[0].Train.Body {
				whole = append(whole, int(b))
			}
			for range eff.Sends[0].Train.Unstored {
				whole = append(whole, -1)
			}
			parts = append(parts, p)
		}
		var r Reader
		at := 0
		feed := func() { at = feedSome(t, &r, whole, at) }
		for k, p := range parts {
			h := Header{Gen: 5, Kind: k, Bytes: p.Bytes()}
			for next, last := 0, false; !last; {
				s, got, state := r.Next(h, p, 16)
				if state != Ready {
					feed()
					continue
				}
				if s.Off != next || !slices.Equal(got, values[s.Lo:s.Hi]) {
					t.Fatalf("message %d from byte %d, want %d: %x, want %x", k, s.Off, next, got, values[s.Lo:s.Hi])
				}
				next, last = next+s.Bytes(), s.Last
			}
		}
		if !r.Empty() || at != len(whole) {
			t.Fatalf("%d of %d bytes were fed, %+v is left", at, len(whole), r)
		}
	})
}

// feedSome adds a train of stored and unstored bytes from whole, at most to the end
// of a message.
func feedSome(t *rapid.T, r *Reader, whole []int, at int) int {
	if at == len(whole) {
		t.Fatal("the stream is over, and something is still wanted")
	}
	var tr sansio.Train
	for n := rapid.IntRange(1, 40).Draw(t, "bytes"); n > 0 && at < len(whole); n-- {
		if whole[at] < 0 {
			tr.Unstored++
		} else if tr.Unstored > 0 {
			break
		} else {
			tr.Body = append(tr.Body, byte(whole[at]))
		}
		at++
	}
	r.Add(&tr)
	for i := range tr.Body {
		tr.Body[i] = 0xdb
	}
	return at
}

// A stream that brings something else is wrong, not short.
func TestReaderIsWrong(t *testing.T) {
	var r Reader
	h := Header{1, 2, 3}
	b := make([]byte, HeaderLen)
	h.Put(b)
	r.Add(&sansio.Train{Body: b[:HeaderLen-1]})
	if s := r.header(h); s != Short {
		t.Errorf("a part of a header: %v", s)
	}
	r.Add(&sansio.Train{Body: b[HeaderLen-1:]})
	for _, other := range []Header{{2, 2, 3}, {1, 3, 3}, {1, 2, 4}} {
		if s := r.header(other); s != Wrong {
			t.Errorf("%+v for %+v: %v", h, other, s)
		}
	}
	if s := r.header(h); s != Ready {
		t.Errorf("the right header: %v", s)
	}
	r.Add(&sansio.Train{Unstored: 1})
	if s := r.has(Part{Hi: 4, Unstored: 1}); s != Wrong {
		t.Errorf("unstored bytes in place of values: %v", s)
	}
}

// The tensors of a generation are the function's when it is finished.
func TestBuffer(t *testing.T) {
	rec := &recorder{}
	b := NewBuffer(Config{Workers: 2, Fixed: gradient.Fixed{Factor: 8}, Recorder: rec}, 3)
	if sat := b.Quantise([]float32{1, -0.5, 1e30, 99}); sat != 1 {
		t.Errorf("%d values saturated", sat)
	}
	b.Load([]int32{2, 4, 6}) // as if the sums had come
	out, take := b.Finish(7)
	b.Quantise([]float32{9, 9, 9})
	b.Sums()
	mean := make([]float32, 5)
	take(mean)
	if out.Saturated != 1 || !out.Contributed || !slices.Equal(mean, []float32{2. / 16, 4. / 16, 6. / 16, 0, 0}) {
		t.Errorf("%+v, means %v", out, mean)
	}
	if rec.gen != 7 || rec.sent[0] != 8 || rec.sent[1] != -4 || !slices.Equal(rec.sums, []int32{2, 4, 6}) {
		t.Errorf("recorded %+v", rec)
	}
}

type recorder struct {
	gen        int
	sent, sums []int32
}

func (r *recorder) Sent(gen int, q []int32)    { r.gen, r.sent = gen, slices.Clone(q) }
func (r *recorder) Delivered(_ int, q []int32) { r.sums = slices.Clone(q) }
