package sansio

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Frames of one flow share a template, whatever their lengths and sums; one with an identification
// has its own.
func TestTemplate(t *testing.T) {
	var e Effects
	first := bytes.Clone(udpTrain(100, 0, 0).Header)
	longer, other, named := bytes.Clone(first), bytes.Clone(first), bytes.Clone(first)
	inet.SetUDPBody(longer, 400)
	other[0] ^= 2
	inet.IPv4(named[inet.EtherLen:]).SetID(7)
	last := e.Template(nil, first)
	if got := e.Template(last, longer); &got[0] != &last[0] || inet.IPv4(last[inet.EtherLen:]).TotalLen() != 28 {
		t.Errorf("another template for another length, or one with a length: %x", last)
	}
	for name, h := range map[string][]byte{"another flow": other, "an identification": named} {
		if got := e.Template(last, h); &got[0] == &last[0] {
			t.Errorf("%s has the template of the first", name)
		}
	}
	if got := e.Template(e.Template(last, named), named); &got[0] == &last[0] {
		t.Error("two packets with an identification share a template")
	}
}

// What is zero behind as many bytes as were there is not stored, in either part.
func TestContent(t *testing.T) {
	for _, c := range []struct {
		stored      int
		front, tail string
		want        int
	}{
		{-42, "ab\x00\x00", "\x00", 5},
		{2, "ab\x00\x00", "\x00", 2},
		{0, "\x00", "\x00", 0},
		{3, "ab", "c\x00", 3},
		{1, "ab", "\x00", 3},
		{2, "ab", "\x00c", 4},
		{4, "ab", "cd", 4},
		{9, "ab", "cd", 4},
	} {
		if got := Content(c.stored, []byte(c.front), []byte(c.tail)); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
