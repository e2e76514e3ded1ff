package microcode

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	compiler "github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// The example of trio §3.2: IPv4 packets without options are forwarded, others
// dropped, and counted as Fig 6 has it: packets that are not IPv4 at
// DROP_CNT_BASE, those with options 2 words on.
func TestFilterPaperExample(t *testing.T) {
	src := Filter()
	prog, err := compiler.Compile(src.File, src.Text)
	if err != nil {
		t.Fatal(err)
	}
	pfe, err := trio.New(trio.Config{
		Node: "pfe", Program: prog, ClaimAll: true, NextHops: []trio.NextHop{{To: []sansio.Port{4}}},
		Memory: mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	plain := inet.UDPHeader(resultFlow())
	inet.SetUDPBody(plain, 60)
	arp := append([]byte(nil), plain...)
	arp[12], arp[13] = 0x08, 0x06
	options := append([]byte(nil), plain...)
	options[inet.EtherLen] = 0x46
	six := append([]byte(nil), plain...)
	six[inet.EtherLen] = 0x65
	var eff sansio.Effects
	for _, h := range [][]byte{plain, arp, options, six, plain} {
		pfe.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: h, Body: make([]byte, 60)}}}, &eff)
	}
	frames := 0
	for _, s := range eff.Sends {
		frames += s.Train.Frames()
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
		packets, n, f := pfe.Memory().Counter(mem.Addr(base.Value) + mem.Addr(2*i))
		if packets != want || n != want*bytes || f != mem.NoFault {
			t.Errorf("counter %d has %d packets and %d bytes, want %d of %d", i, packets, n, want, bytes)
		}
	}
	if total := prog.Totals(); total.Instructions != 5 {
		t.Errorf("%d instructions, want 5: those of the paper, each of the last two in one", total.Instructions)
	}
}
