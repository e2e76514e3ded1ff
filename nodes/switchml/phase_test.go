package switchml

import (
	"net/netip"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Job byte and the low 24 bits of the packet id count the phases of a slot as one
// number, which a switch compares modulo 2^32.
func TestJobByteCountsOn(t *testing.T) {
	for phase, job := range map[uint32]uint8{0: 9, 1<<24 - 2: 9, 1<<24 - 1: 10, 1 << 24: 10, 1<<25 - 1: 11, 0xffffffff: 9} {
		flow := inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"), SrcPort: 7, DstPort: wire.Port}
		c, err := New(Config{Workers: 1, Tensor: 1, Elements: 64, Slots: 1, Job: 9, Flow: flow})
		if err != nil {
			t.Fatal(err)
		}
		c.threads[0].slots[0].phase = phase
		var eff sansio.Effects
		c.Begin(0, 0, []float32{1}, &eff)
		h, _ := wire.Parse(eff.Sends[0].Train.Body)
		if h.Job != job || h.PacketID != phase+1 {
			t.Errorf("packet %d has job byte %d, id %d; want %d, %d", phase+1, h.Job, h.PacketID, job, phase+1)
		}
	}
}
