package dataplane

import "testing"

func TestFaults(t *testing.T) {
	for counter, want := range map[string]bool{
		FaultAt("pfe-instruction-limit", "loop.mc:2:8"): true, "pfe1/loop/pfe-instruction-limit at my loop.mc:2:8": true,
		"pfe-instruction-limit": false, "at-most": false,
	} {
		if IsFault(counter) != want {
			t.Errorf("%s is a fault: %v, want %v", counter, !want, want)
		}
	}
}
