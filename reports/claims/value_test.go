package claims

import (
	"encoding/json"
	"math"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// valueOf reads a value as it stands in a file.
func valueOf(t *testing.T, text string) Value {
	t.Helper()
	dir := edited(t, "facts.yaml", "value: 4096", "value: "+text).(fstest.MapFS)
	l, err := LoadFS(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l.Facts[0].Value
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ yaml, people, json string }{
		{"1.80", "1.80", "1.8"},
		{"-3", "-3", "-3"},
		{"1.0e-08", "1.0e-08", "1e-8"},
		{"true", "yes", "true"},
		{"a < b & c", "a < b & c", `"a < b & c"`},
		{"'5'", "5", `"5"`},
		{"[]", "", "[]"},
		{"[1, [2, x]]", "1, (2, x)", `[1,[2,"x"]]`},
		{"{z: 1, a: {b: ~, c: no}, '<': [1]}", "z 1, a (b -, c no), < (1)", `{"z":1,"a":{"b":null,"c":"no"},"<":[1]}`},
	} {
		v := valueOf(t, c.yaml)
		got, err := v.MarshalJSON()
		if err != nil || v.String() != c.people || string(got) != c.json {
			t.Errorf("%s: %q, %s, %v; want %q, %s", c.yaml, v.String(), got, err, c.people, c.json)
		}
	}
	if got, err := NumberValue(math.NaN()).MarshalJSON(); err != nil || string(got) != "null" {
		t.Errorf("NaN as %s, %v", got, err)
	}
}

func TestValueAccess(t *testing.T) {
	v := valueOf(t, "{n: 1.5, w: x, f: true, l: [1, 2]}")
	get := func(name string) Value {
		field, ok := v.Fields().Get(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		return field
	}
	if x, ok := get("n").Number(); !ok || x != 1.5 {
		t.Errorf("number %v, %v", x, ok)
	}
	if v := get("w"); v.kind != valueWord || v.text != "x" {
		t.Errorf("word %v", v)
	}
	if v := get("f"); v.kind != valueFlag || !v.flag {
		t.Errorf("flag %v", v)
	}
	if l := get("l").List(); len(l) != 2 {
		t.Errorf("list %v", l)
	}
	if _, ok := v.Fields().Get("none"); ok {
		t.Error("a name that is not there is found")
	}
	if _, ok := get("w").Number(); ok || get("n").Fields() != nil {
		t.Error("a value is of two kinds")
	}
}

// JSON holds the numbers themselves, however they are shown.
func TestNumbersSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		text, err := json.Marshal(Fields{{"x", NumberValue(x)}})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]float64
		if err := json.Unmarshal(text, &got); err != nil || got["x"] != x {
			t.Fatalf("%v became %s, %v", x, text, err)
		}
	})
}
