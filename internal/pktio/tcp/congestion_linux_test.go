package tcp

import "testing"

// The congestion control takes a loss for congestion, whatever this machine's
// default is.
func TestCongestion(t *testing.T) {
	name, err := Congestion()
	if err != nil {
		t.Fatal(err)
	}
	if name != "cubic" && name != "reno" {
		t.Errorf("congestion control %q, want cubic or reno", name)
	}
}
