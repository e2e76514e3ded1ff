package result

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Keys stand in the order of the sweep, not of the alphabet.
func TestPointInJSON(t *testing.T) {
	p := Point{Keys: []Swept{{"link.loss", "0.01%"}, {"hosts", "8"}}}
	text, err := json.Marshal(struct {
		At Point `json:"swept,omitzero"`
	}{p})
	if want := `{"swept":{"link.loss":"0.01%","hosts":"8"}}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
	var back struct {
		At Point `json:"swept"`
	}
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back.At, p) {
		t.Errorf("%+v comes back as %+v, %v", p, back.At, err)
	}
	if got := p.String(); got != "link.loss=0.01% hosts=8" {
		t.Errorf("it is called %q", got)
	}
	if err := json.Unmarshal([]byte(`{"a": 1}`), &p); err == nil {
		t.Error("a number is read as a value")
	}
}
