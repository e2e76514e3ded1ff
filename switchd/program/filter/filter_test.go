package filter

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/program/middlebox/middleboxtest"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var _ dataplane.Engine = (*Engine)(nil)

// The example of trio §3.2: IPv4 packets without options are forwarded, others
// dropped, and counted as Fig 6 has it: packets that are not IPv4 at
// DROP_CNT_BASE, those with options 2 words on.
func TestFilterPaperExample(t *testing.T) {
	prog, err := microcode.Compile(File, Source())
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Config{PFE: middlebox.Config{Node: "pfe", Memory: mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	frames := 0
	pfe := middleboxtest.New(e, func(_ units.Time, s *sansio.Send) {
		if len(s.To) != 1 || s.To[0] != middleboxtest.Port {
			t.Errorf("a packet leaves by %v, want the port that it came by", s.To)
		}
		frames += s.Train.Frames()
	})
	plain := inet.UDPHeader(inet.Flow{Src: middleboxtest.Host(1), Dst: middleboxtest.Host(2), SrcPort: 1, DstPort: 2})
	inet.SetUDPBody(plain, 60)
	arp := append([]byte(nil), plain...)
	arp[12], arp[13] = 0x08, 0x06
	options := append([]byte(nil), plain...)
	options[inet.EtherLen] = 0x46
	six := append([]byte(nil), plain...)
	six[inet.EtherLen] = 0x65
	for _, h := range [][]byte{plain, arp, options, six, plain} {
		pfe.Frame(h, make([]byte, 60))
	}
	if frames != 2 {
		t.Errorf("%d packets are forwarded, want 2", frames)
	}
	base, ok := prog.Symbol("DROP_CNT_BASE")
	if !ok {
		t.Fatal("there is no DROP_CNT_BASE")
	}
	const bytes = inet.UDPHeaders + 60
	for i, want := range []uint64{1, 2} {
		packets, n, f := e.Memory().Counter(mem.Addr(base.Value) + mem.Addr(2*i))
		if packets != want || n != want*bytes || f != mem.NoFault {
			t.Errorf("counter %d has %d packets and %d bytes, want %d of %d", i, packets, n, want, bytes)
		}
	}
	for name, want := range map[string]uint64{CountNotIP: 1, CountOptions: 2, DropFiltered: 3, CountOptions + "-bytes": 2 * bytes} {
		if got := pfe.Count(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if total := prog.Totals(); total.Instructions != 5 {
		t.Errorf("%d instructions, want 5: those of the paper, each of the last two in one", total.Instructions)
	}
}
