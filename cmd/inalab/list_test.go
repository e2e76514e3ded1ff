package main

import (
	"testing"

	"github.com/inalab/inalab/topo/gen"
)

func TestEverythingIsDescribed(t *testing.T) {
	items, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, i := range items {
		kinds[i.Kind]++
		if i.Name == "" || i.Description == "" {
			t.Errorf("%s %q is described as %q", i.Kind, i.Name, i.Description)
		}
	}
	if kinds["system"] != len(systems()) || kinds["topology"] != len(gen.All()) {
		t.Errorf("descriptions of what is not there: %v", kinds)
	}
	if kinds["scenario"] == 0 || kinds["model"] == 0 {
		t.Errorf("listed %v", kinds)
	}
}
