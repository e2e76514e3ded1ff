package microcode_test

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// operations sends every XTXN that has a reply or changes memory, and writes the
// replies to shared memory.
const operations = `
sram word[2];
counter count;
policer none;
sram out[24];
lmem u64 r[24];
lmem u32 four[4];
packet entry start;

start: begin MaskedWrite(word, 0xff00ff00ff00ff00, 0xffffffff00000000); end
begin r[0] = FetchOr(word, 0x1); end
begin r[1] = FetchXor(word, 0xff); end
begin r[2] = FetchAnd(word, 0xff000000000000fe); end
begin r[3] = FetchClear(word, 0x0e); end
begin r[4] = FetchSwap(word, 0x0123456789abcdef); end
begin r[5] = FetchAdd32(word, 0, 0x10); end
begin r[6] = FetchAdd32(word, 1, 0xffffffff); end

begin CounterIncPhys(count, 100); end
begin async CounterIncPhys(count, 50); end
begin XtxnWait(); end
begin MemRead(count, &r[7], 16); end
begin r[9] = Police(none, 1); end
begin r[10] = Police(none, 0); end

begin r[11] = HashLookup(77); end
begin r[12] = HashInsert(77); end
begin r[13] = HashInsert(77); end
begin r[14] = HashLookup(pair(0, 77)); end
begin r[15] = HashScan(0, 1, 0); end
begin r[16] = HashScan(0, 1, r[15][60:32]); end
begin async HashDelete(77); end
begin XtxnWait(); end
begin r[17] = HashLookup(77); end

begin four[0] = 1; four[1] = 0xffffffff; end
begin four[2] = 7; MemAdd32(word, 0, four, 4); end
begin MemAdd32(word, 1, &four[1], 4); end
begin async MemAdd32(word + 1, 0, &four[2], 4); end
begin XtxnWait(); end
begin MemRead(word, &r[18], 16); end
begin r[20] = TimeNow(); end
begin MemWrite(out, r, 64); end
begin async MemWrite(out + 8, &r[8], 64); end
begin async MemWrite(out + 16, &r[16], 64); end
begin XtxnWait(); end
begin async Drop(1); exit; end
`

// TestXTXNs compiles a program of XTXNs, runs it on a PFE, with time and without,
// and wants the replies that the reference promises.
func TestXTXNs(t *testing.T) {
	p, err := microcode.Compile("ops.mc", operations)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := p.Symbol("out")
	timing := trio.DefaultTiming()
	for name, timing := range map[string]*trio.Timing{"instant": nil, "timed": &timing} {
		pfe, err := trio.New(trio.Config{Program: p, Timing: timing,
			Memory: mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 64}})
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		frame := sansio.NewTrain(make([]byte, 64), 0, sansio.ChecksumAsIs)
		pfe.Handle(units.Time(units.Microsecond), []sansio.Arrival{{Train: frame}}, &eff)
		for d := pfe.NextDeadline(); d != units.Never; d = pfe.NextDeadline() {
			pfe.Expire(d, &eff)
		}
		bytes := make([]byte, out.Size)
		pfe.Memory().ReadRange(mem.Addr(out.Value), bytes)
		r := make([]uint64, out.Len)
		for i := range r {
			r[i] = binary.BigEndian.Uint64(bytes[8*i:])
		}
		const flag = 1 << 63
		record := r[12] &^ flag
		if l := pfe.Memory().Layout().Records; record < uint64(l.Start) || record >= uint64(l.End) {
			t.Errorf("%s: the record is at %#x", name, record)
		}
		want := []uint64{
			0xff00ff0000000000, 0xff00ff0000000001, 0xff00ff00000000fe, 0xff000000000000fe, 0xff000000000000f0,
			0x01234577, 0x89abcdee, 2, 150, 1, 0,
			0, flag | record, record, flag | record,
			flag | 1<<62 | r[15]&(1<<62-1), r[16], 0,
			0x01234578_89abcded, 7 << 32, r[20], 0, 0, 0,
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if uint32(r[15]) != uint32(record) || r[16]&(flag|1<<61) != 1<<61 {
			t.Errorf("%s: the scan finds %#x, then %#x", name, r[15], r[16])
		}
		if r[20] < 1000 {
			t.Errorf("%s: it is %d ns, after 1 us", name, r[20])
		}
	}
}
