package sansio

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/wire/inet"
)

// emit appends a frame whose payload comes from the batch's own memory.
func emit(e *Effects, to []Port, template []byte, n int) {
	b := e.Body(n)
	copy(b, pattern(n))
	e.Emit(to, template, b)
}

func frameCounts(e *Effects) []int {
	var n []int
	for _, s := range e.Sends {
		n = append(n, s.Train.Frames())
	}
	return n
}

func TestEmitJoins(t *testing.T) {
	var e Effects
	to, template := []Port{1, 2}, inet.UDPHeader(testFlow())
	before := bytes.Clone(template)
	for range 3 {
		emit(&e, to, template, 100)
	}
	emit(&e, to, template, 40) // a shorter frame may end a train
	emit(&e, to, template, 40)
	if got := frameCounts(&e); fmt.Sprint(got) != "[4 1]" {
		t.Fatalf("trains of %v frames, want [4 1]", got)
	}
	if !bytes.Equal(template, before) {
		t.Error("the template was changed")
	}
	tr := e.Sends[0].Train
	want := udpTrain(340, 100, 0)
	if !bytes.Equal(tr.Header, want.Header) || tr.Seg != 100 || tr.Checksum != ChecksumPartial {
		t.Errorf("header %x, want %x", tr.Header, want.Header)
	}
}

func TestEmitNeverJoinsWrongly(t *testing.T) {
	to, other := []Port{1}, []Port{1}
	a, b := inet.UDPHeader(testFlow()), inet.UDPHeader(testFlow())
	for name, second := range map[string]func(e *Effects){
		"other ports":      func(e *Effects) { emit(e, other, a, 100) },
		"no ports":         func(e *Effects) { emit(e, nil, a, 100) },
		"other template":   func(e *Effects) { emit(e, to, b, 100) },
		"longer frame":     func(e *Effects) { emit(e, to, a, 101) },
		"empty frame":      func(e *Effects) { emit(e, to, a, 0) },
		"a gap in between": func(e *Effects) { e.Body(1); emit(e, to, a, 100) },
		"foreign memory":   func(e *Effects) { e.Emit(to, a, pattern(100)) },
		"another send in between": func(e *Effects) {
			e.Send(to, udpTrain(100, 0, 0))
			emit(e, to, a, 100)
		},
	} {
		var e Effects
		emit(&e, to, a, 100)
		second(&e)
		for i, n := range frameCounts(&e) {
			if n != 1 || len(e.Sends) < 2 {
				t.Errorf("%s: send %d has %d frames", name, i, n)
			}
		}
	}
}

func TestEmitEmptyFrames(t *testing.T) {
	var e Effects
	template := inet.UDPHeader(testFlow())
	for range 2 {
		emit(&e, []Port{0}, template, 0)
	}
	if got := frameCounts(&e); fmt.Sprint(got) != "[1 1]" {
		t.Errorf("trains of %v frames, want [1 1]", got)
	}
}

func TestEmitStopsAtLimits(t *testing.T) {
	for _, c := range []struct {
		n, frames int
		want      string
	}{
		{100, 150, "[64 64 22]"},   // MaxTrainFrames
		{8192, 15, "[7 7 1]"},      // 8 of them are 65536 bytes, past MaxTrainBody
		{MaxTrainBody, 2, "[1 1]"}, // a full packet each
		{MaxTrainBody / 60, 61, "[60 1]"},
		{MaxTrainBody/60 + 1, 61, "[59 2]"},
	} {
		var e Effects
		e.Body(1 << 20)
		e.Reset() // now the memory is one chunk
		to, template := []Port{0}, inet.UDPHeader(testFlow())
		for range c.frames {
			emit(&e, to, template, c.n)
		}
		if got := fmt.Sprint(frameCounts(&e)); got != c.want {
			t.Errorf("%d frames of %d bytes: trains of %s, want %s", c.frames, c.n, got, c.want)
		}
	}
}

func TestEmitFillsATrainToTheByte(t *testing.T) {
	const first = MaxTrainBody/2 + 1
	for second, want := range map[int]string{MaxTrainBody - first: "[2]", MaxTrainBody - first + 1: "[1 1]"} {
		var e Effects
		e.Body(1 << 20)
		e.Reset()
		to, template := []Port{0}, inet.UDPHeader(testFlow())
		emit(&e, to, template, first)
		emit(&e, to, template, second)
		if got := fmt.Sprint(frameCounts(&e)); got != want {
			t.Errorf("%d bytes after %d: trains of %s, want %s", second, first, got, want)
		}
	}
}

// Whatever is emitted, the frames are those that Emit of each alone gives, in
// order, to the same ports.
func TestEmitKeepsFrames(t *testing.T) {
	ports := [][]Port{{0}, {0}, {1, 2}}
	templates := [][]byte{inet.UDPHeader(testFlow()), inet.UDPHeader(testFlow().Reverse())}
	rapid.Check(t, func(t *rapid.T) {
		var joined, single Effects
		var got, want []string
		for range rapid.IntRange(1, 100).Draw(t, "frames") {
			to := rapid.SampledFrom(ports).Draw(t, "ports")
			template := rapid.SampledFrom(templates).Draw(t, "template")
			n := rapid.SampledFrom([]int{0, 5, 5, 5, 6}).Draw(t, "n")
			if rapid.IntRange(0, 9).Draw(t, "gap") == 0 {
				joined.Header(3)
				joined.Body(1)
			}
			emit(&joined, to, template, n)
			emit(&single, to, template, n)
			for _, f := range flat(single.Sends[0].Train) {
				want = append(want, fmt.Sprint(to, f))
			}
			single.Reset()
		}
		for _, s := range joined.Sends {
			for _, f := range flat(s.Train) {
				got = append(got, fmt.Sprint(s.To, f))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got\n%v\nwant\n%v", got, want)
		}
	})
}

func TestResetTakesMemoryBack(t *testing.T) {
	var e Effects
	to, template := []Port{0}, inet.UDPHeader(testFlow())
	round := func() {
		for range 1000 {
			e.Emit(to, template, e.Body(1000))
		}
		e.Computes = append(e.Computes, Compute{Until: 1})
		e.Samples = append(e.Samples, result.Sample{Worker: 1})
		e.Reset()
	}
	for range 4 {
		round() // chunks double until one holds a round
	}
	if n := testing.AllocsPerRun(10, round); n != 0 {
		t.Errorf("%v allocations a round in steady state", n)
	}
	if len(e.Sends)+len(e.Computes)+len(e.Samples) != 0 {
		t.Error("Reset left something")
	}
}

// Memory that was handed out stays as it was while more is asked for.
func TestArenaNeverOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e Effects
		var got [][]byte
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 30000), 1, 40).Draw(t, "sizes") {
			b := e.Body(n)
			if len(b) != n {
				t.Fatalf("%d bytes, asked for %d", len(b), n)
			}
			for k := range b {
				b[k] = byte(i)
			}
			got = append(got, b)
		}
		for i, b := range got {
			if bytes.Count(b, []byte{byte(i)}) != len(b) {
				t.Fatalf("allocation %d was overwritten", i)
			}
		}
	})
}
