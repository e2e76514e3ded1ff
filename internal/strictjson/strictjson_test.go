package strictjson_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/strictjson"
)

func TestDecode(t *testing.T) {
	type document struct {
		ID    int
		Inner struct{ N int }
	}
	for text, says := range map[string]string{
		`{"ID":2,"Inner":{"N":3}}`:          "",
		" {\"ID\":2,\"Inner\":{\"N\":3}}\n": "",
		`{"ID":2,"Inner":{"N":3},"x":1}`:    `unknown field "x"`,
		`{"ID":2,"Inner":{"N":3,"x":1}}`:    `unknown field "x"`,
		`{"ID":2,"Inner":{"N":3}}{}`:        "something stands behind the JSON value",
		`{"ID":2,"Inner":{"N":3}} x`:        "something stands behind the JSON value",
		`{"ID":2,"Inner":{"N":3}`:           "unexpected EOF",
		`{"ID":"2"}`:                        "cannot unmarshal string",
		``:                                  "EOF",
	} {
		var d document
		err := strictjson.Decode([]byte(text), &d)
		switch {
		case says == "" && (err != nil || d.ID != 2 || d.Inner.N != 3):
			t.Errorf("%q is read as %+v, %v", text, d, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
}
