package dataplane

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/trace"
)

// What is written as JSON is read back as it was, and is what JSON has for it.
func TestValuesInJSON(t *testing.T) {
	for want, v := range map[string]Value{
		`"a\"b"`: Text(`a"b`), `""`: Text(""), `null`: {}, `true`: Bool(true), `false`: Bool(false),
		`-3`: Int(-3), `18446744073709551615`: Int(uint64(math.MaxUint64)), `661.892`: Real(661.892), `7`: Int(uint8(7)),
	} {
		text, err := json.Marshal(v)
		if err != nil || string(text) != want {
			t.Errorf("%+v is written as %s (%v), want %s", v, text, err, want)
		}
		var back Value
		if err := json.Unmarshal(text, &back); err != nil || back != v {
			t.Errorf("%s is read as %+v (%v), want %+v", text, back, err, v)
		}
	}
	if Real(math.NaN()) != (Value{}) || Real(math.Inf(1)) != (Value{}) {
		t.Error("what is not finite applies")
	}
	var v Value
	if json.Unmarshal([]byte(`{}`), &v) == nil || json.Unmarshal([]byte(`[1]`), &v) == nil {
		t.Error("an object or a list passes for a value")
	}
}

func TestCutCountsAll(t *testing.T) {
	tab := Table{Columns: []Column{{Key: "n"}}}
	for n := range 5 {
		tab.Add(Int(n))
	}
	tab.Cut(2)
	if len(tab.Rows) != 2 || tab.Total != 5 {
		t.Errorf("%d rows of %d", len(tab.Rows), tab.Total)
	}
}

// A set is written so that it can be read back: every member, and no other.
func TestMaskText(t *testing.T) {
	for want, members := range map[string][]uint8{
		"": nil, "0": {0}, "0-2,5": {0, 1, 2, 5}, "7-8": {7, 8}, "63-64,255": {63, 64, 255}, "254-255": {254, 255},
	} {
		var m trace.Mask
		for _, s := range members {
			m.Set(s)
		}
		if got := MaskText(m); got != want {
			t.Errorf("%v is %q, want %q", members, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := trace.Mask{rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b"), 0, rapid.Uint64().Draw(t, "d")}
		b := a
		s := rapid.Uint8().Draw(t, "s")
		if b.Set(s); b != a && MaskText(a) == MaskText(b) {
			t.Fatalf("two sets are both %q", MaskText(a))
		}
	})
}
