package microcode

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

func aggregate(t testing.TB) *isa.Program {
	src, err := os.ReadFile("testdata/aggregate.mc")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile("aggregate.mc", string(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What is read back is the program that was written, and one program has one
// encoding.
func TestEncodedProgramComesBack(t *testing.T) {
	p := aggregate(t)
	var one, two bytes.Buffer
	if err := p.Encode(&one); err != nil {
		t.Fatal(err)
	}
	if err := p.Encode(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Fatalf("two encodings differ, error %v", err)
	}
	if !isa.Encoded(one.Bytes()) || isa.Encoded([]byte(p.Dump())) {
		t.Error("an encoded program is not told from a text")
	}
	got, err := isa.Decode(&one)
	if err != nil {
		t.Fatal(err)
	}
	if got.Dump() != p.Dump() || !reflect.DeepEqual(got.Entries, p.Entries) || !reflect.DeepEqual(got.Image, p.Image) {
		t.Errorf("another program came back:\n%s", got.Dump())
	}
}

func TestWhatIsNoEncodedProgram(t *testing.T) {
	var b bytes.Buffer
	if err := aggregate(t).Encode(&b); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                               "not a compiled program",
		"struct ether_t {":               "not a compiled program",
		b.String()[:b.Len()/2]:           "reading a compiled program",
		strings.Repeat("x", 1<<20+1):     "at most 1048576 bytes",
		b.String()[:17] + "\x00\x01\x02": "reading a compiled program",
	} {
		if _, err := isa.Decode(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	p, err := Compile("small.mc",
		"register u32 a;\npacket entry start;\nstart:\nbegin\n  if (a == 3) goto start;\n  a = a + 1;\n  exit;\nend\n")
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := isa.Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		if p.Dump() == "" {
			t.Error("a program prints as nothing")
		}
		code, err := vm.Compile(p)
		if err != nil {
			t.Fatalf("an invalid program was read: %v", err)
		}
		for _, e := range p.Entries {
			var th vm.Thread
			code.Start(&th, e.Target, 1000)
			th.Run(nothing{})
		}
	})
}

// A compiled program that breaks a rule of the engine, as the compiler makes none,
// is refused when it is read.
func TestDecodedProgramKeepsTheRules(t *testing.T) {
	p := aggregate(t)
	at := len(p.Instructions) - 1
	for n := range 3 {
		p.Instructions[at].Moves = append(p.Instructions[at].Moves, isa.Move{To: isa.LowReg(uint8(20 + n)), From: isa.Const(0)})
	}
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	_, err := isa.Decode(&b)
	if err == nil || !strings.Contains(err.Error(), "writes, there are 2 (rule: an instruction writes at most 2") {
		t.Errorf("got %v", err)
	}
}
