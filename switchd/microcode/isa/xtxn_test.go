package isa

import "testing"

// Every XTXN is described in full, and found by its name.
func TestSpecs(t *testing.T) {
	for x := XTXN(1); x < NumXTXN; x++ {
		s, ok := x.Spec()
		if !ok || s.Name == "" || s.Doc == "" || s.Module == "" || len(s.Args) > MaxArgs {
			t.Fatalf("XTXN %d: %+v", x, s)
		}
		if got, ok := XTXNByName(s.Name); !ok || got != x {
			t.Errorf("%s is found as %d", s.Name, got)
		}
		if s.Async && s.Reply != "" {
			t.Errorf("%s is asynchronous and has a reply", s.Name)
		}
		for _, a := range s.Args {
			if a.Name == "" || a.Kind == 0 || a.Bits != 32 && a.Bits != 64 {
				t.Errorf("%s: argument %+v", s.Name, a)
			}
		}
		_, _, buffer := s.Buffer()
		for _, a := range s.Args {
			buffer = buffer || a.Kind == ArgHeader
		}
		if l := s.Length; buffer != (l.Max > 0) || l.Max > LMEMBytes || buffer && (l.Min%l.Step != 0 || l.Step&(l.Step-1) != 0) {
			t.Errorf("%s: buffer %t, length %+v", s.Name, buffer, l)
		}
	}
	for _, x := range []XTXN{0, NumXTXN, 255} {
		if _, ok := x.Spec(); ok {
			t.Errorf("XTXN %d has a description", x)
		}
	}
	if _, ok := XTXNByName("memread"); ok {
		t.Error("names do not ignore case")
	}
}

// Reads and writes have 8 to 64 bytes in steps of 8 (trio §2.3).
func TestLengthOfMemoryTransactions(t *testing.T) {
	s, _ := MemRead.Spec()
	for n := range uint64(200) {
		if got, want := s.Length.Fits(n), n >= 8 && n <= 64 && n%8 == 0; got != want {
			t.Errorf("%d bytes: %t", n, got)
		}
	}
	if s.Length.Fits(1<<63 + 8) {
		t.Error("2^63+8 bytes fit")
	}
}

// The gradients of a Trio-ML packet, after Ethernet, IP, UDP and Trio-ML
// headers (trio Fig 7), are aligned to 8 bytes in LMEM.
func TestGradientsAreAligned(t *testing.T) {
	if at := HeadStart + 14 + 20 + 8 + 12; at%8 != 0 {
		t.Errorf("gradients start at byte %d", at)
	}
	if HeadStart+HeadBytes > LMEMBytes {
		t.Error("the head does not fit")
	}
}
