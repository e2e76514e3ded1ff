package microcode

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
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
	p, err := Compile("small.mc", "register u32 a;\npacket entry start;\nstart:\nbegin\n  if (a == 3) goto start;\n  a = a + 1;\n  exit;\nend\n")
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := isa.Decode(bytes.NewReader(data)); err == nil && p.Validate() != nil {
			t.Error("an invalid program was read")
		}
	})
}
