package chip

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// A record counts from the figure's first field on, and its fields must be where the figure has
// them.
func TestDrawn(t *testing.T) {
	figure := experiment.NewPrinted().Fact("trio.blockrec.layout")
	widths := map[string]uint64{"block_exp": 8, "block_age": 8, "block_start_time": 64, "job_ctx_paddr": 32, "aggr_paddr": 32}
	names := []string{"block_exp", "block_age", "block_start_time", "job_ctx_paddr", "aggr_paddr"}
	for _, c := range []struct {
		name   string
		change func(*isa.Program)
		want   string
	}{
		{"as drawn", func(*isa.Program) {}, ""},
		{"another width", func(p *isa.Program) { p.Types[2].Bits = 16 }, "block_age is 16 bits"},
		{"another place", func(p *isa.Program) { p.Types[0].Fields[2].Bit += 8 }, "block_start_time is 64 bits from bit 40 on"},
		{"another name", func(p *isa.Program) { p.Types[0].Fields[4].Name = "sums" }, "has 4 of the fields"},
		{"no first field", func(p *isa.Program) { p.Types[0].Fields[0].Name = "exp" }, "has no field block_exp"},
	} {
		record := isa.Type{Name: "record", Form: isa.FormRecord, Bits: 16 + 464}
		p := &isa.Program{Types: []isa.Type{record}}
		for bit, i := uint64(16), 0; i < len(names); i++ {
			p.Types = append(p.Types, isa.Type{Bits: widths[names[i]]})
			p.Types[0].Fields = append(p.Types[0].Fields, isa.Member{Name: names[i], Type: isa.TypeID(i + 2), Bit: bit})
			bit += widths[names[i]]
		}
		c.change(p)
		bits, err := drawn(p, p.Types[0], "block_exp", figure)
		if c.want == "" && (err != nil || bits != 464) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %d bits, %v; want %q", c.name, bits, err, c.want)
		}
	}
}
