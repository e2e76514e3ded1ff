package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

const named = `
struct pair_t { first : 12; second : 20; u8 more[4]; };
counter drops[3];
sram table[5];
register pair_t both;
register u32 n @ 9;
lmem u8 raw[16] @ 400;
lmem pair_t two[2] @ 416;
packet entry start;
start: begin exit; end`

func namesOf(t *testing.T) *names {
	t.Helper()
	p, err := microcode.Compile("named.mc", named)
	if err != nil {
		t.Fatal(err)
	}
	return newNames(p)
}

// Places have the names of the source; what has none is counted from the head, the record or
// the start of local memory.
func TestPlacesAreNamed(t *testing.T) {
	n := namesOf(t)
	var got []string
	for _, word := range []uint64{2, 4, 5, 8, 9, 13, isa.HashRecords, isa.HashRecords + 8*5 + 1, 1 << 22} {
		got = append(got, n.address(word))
	}
	want := []string{"drops[0]", "drops[1]", "drops[1]+1", "table[0]", "table[1]", "0xd", "hash[0]", "hash[5]+1", "0x400000"}
	want[5] = "13"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for _, at := range []uint64{0, isa.HeadStart - 1, isa.HeadStart, isa.HeadStart + 205, isa.HeadStart + 206, 400, 405, 431} {
		got = append(got, n.local(at))
	}
	if diff := cmp.Diff([]string{"lmem[0]", "head-1", "head", "head+205", "lmem[272]", "raw", "raw+5", "two+15"}, got); diff != "" {
		t.Error(diff)
	}
}

// What an instruction changed is told by fields, arrays of bytes and bare registers by
// their bytes.
func TestChangesAreNamed(t *testing.T) {
	n := namesOf(t)
	both, _ := n.program.Symbol("both")
	var th vm.Thread
	before := viewOf(&th)
	num := int(both.Value / isa.RegisterBits)
	th.SetRegister(num, 0x001_00002_00000300)
	th.SetRegister(9, 1<<32|70000)
	th.SetRegister(20, 5)
	th.LMEM[401], th.LMEM[402] = 1, 2
	th.LMEM[416+8+1] = 0x1f
	th.LMEM[isa.HeadStart+22] = 63
	want := []Change{
		{"both.first", "0", "1"}, {"both.second", "0", "2"}, {"both.more[2]", "0", "3"},
		{"n", "0", "0x11170"}, {"r20", "0", "5"},
		{"two[1].first", "0", "1"}, {"two[1].second", "0", "0xf0000"},
		{"head+22", "00", "3f"}, {"raw+1, 2 bytes", "zeros", "0102"},
	}
	if diff := cmp.Diff(want, n.changes(before, &th)); diff != "" {
		t.Error(diff)
	}
	if again := n.changes(before, &th); len(again) != 0 {
		t.Errorf("told twice: %v", again)
	}
}
